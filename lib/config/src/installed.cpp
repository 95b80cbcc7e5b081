#include "kbsim/config/installed.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::config {
namespace {

Folders require_configs(const std::filesystem::path& folder, std::string_view whose) {
  std::error_code ignored;
  if (std::filesystem::exists(folder / "topology.yaml", ignored)) return {folder};
  throw UsageError{
      fmt::format("no topology.yaml in {}, {}: set KBSIM_CONFIGS in the environment to the folder of kbsim's "
                  "configs, share/kbsim/configs where it is installed",
                  folder.string(), whose)};
}

}  // namespace

Folders installed_configs(std::string_view of_package) {
  const char* const named = std::getenv("KBSIM_CONFIGS");  // NOLINT(concurrency-mt-unsafe)
  if (named != nullptr && *named != '\0') return require_configs(named, "which KBSIM_CONFIGS names");
  if (!of_package.empty())
    return require_configs(of_package, "where kbsim was installed when this program was built");
  throw UsageError{
      "this program doesn't know where kbsim is installed: link kbsim::kbsim in its CMakeLists.txt, or set "
      "KBSIM_CONFIGS in the environment to the folder of kbsim's configs"};
}

}  // namespace kbsim::config
