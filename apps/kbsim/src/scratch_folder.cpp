#include "scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/unwritable.hpp"

namespace kbsim::app {

namespace {

namespace fs = std::filesystem;

fs::path place_of_all() {
  std::error_code error;
  fs::path place = fs::temp_directory_path(error);
  if (error)
    throw UsageError{fmt::format("TMPDIR names no folder: {}; name one that is there", error.message())};
  return place;
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& purpose) {
  const fs::path wanted = place_of_all() / fmt::format("kbsim-{}-XXXXXX", purpose);
  std::string name = wanted.string();
  if (mkdtemp(name.data()) == nullptr)
    throw UsageError{fmt::format("can't make the temporary folder '{}': {}; TMPDIR names where it goes",
                                 wanted.string(), why_unwritable(wanted, {errno, std::generic_category()}))};
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace kbsim::app
