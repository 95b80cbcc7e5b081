#include "config_folders.hpp"

#include <filesystem>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/runtime_symbol_info.hpp>

namespace kbsim::app {

config::Folders config_folders() {
  const std::filesystem::path command = boost::dll::program_location();
  const std::filesystem::path configs = command.parent_path().parent_path() / "share" / "kbsim" / "configs";
  std::error_code ignored;
  return {std::filesystem::weakly_canonical(configs, ignored)};
}

}  // namespace kbsim::app
