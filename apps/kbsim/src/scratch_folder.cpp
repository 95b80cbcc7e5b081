#include "scratch_folder.hpp"

#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::app {

ScratchFolder::ScratchFolder(const std::string& purpose) {
  const std::string pattern = fmt::format("kbsim-{}-XXXXXX", purpose);
  std::string name = (std::filesystem::temp_directory_path() / pattern).string();
  if (mkdtemp(name.data()) == nullptr) throw UsageError{fmt::format("can't make a folder {}", name)};
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace kbsim::app
