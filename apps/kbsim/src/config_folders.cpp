#include "config_folders.hpp"

#include <filesystem>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/runtime_symbol_info.hpp>

namespace kbsim::app {

config::Folders config_folders() {
  const std::filesystem::path command = boost::dll::program_location();
  const std::filesystem::path installed = command.parent_path().parent_path() / "share" / "kbsim" / "configs";
  std::error_code ignored;
  if (std::filesystem::is_directory(installed, ignored)) return {installed};
  return {KBSIM_CONFIG_DIR};
}

}  // namespace kbsim::app
