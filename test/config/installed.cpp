#include "kbsim/config/installed.hpp"

#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

using namespace kbsim;
using namespace kbsim::config;

namespace {

const std::string kConfigs = std::string{KBSIM_SOURCE_DIR} + "/configs";

std::string refusal(std::string_view of_package) {
  try {
    (void)installed_configs(of_package);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

// KBSIM_CONFIGS while this lives.
struct Named {
  explicit Named(const std::string& folder) { setenv("KBSIM_CONFIGS", folder.c_str(), 1); }
  ~Named() { unsetenv("KBSIM_CONFIGS"); }
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;
};

}  // namespace

TEST_CASE("Installed configs: the package's folder, unless the environment names another") {
  CHECK(installed_configs(kConfigs) == Folders{kConfigs});
  const Named named{kConfigs};
  CHECK(installed_configs("/nowhere") == Folders{kConfigs});
  CHECK(installed_configs() == Folders{kConfigs});
}

TEST_CASE("Installed configs: a folder without them is an error with the folder and the remedy") {
  CHECK(refusal("/nowhere") ==
        "no topology.yaml in /nowhere, where kbsim was installed when this program was built: set "
        "KBSIM_CONFIGS "
        "in the environment to the folder of kbsim's configs, share/kbsim/configs where it is installed");
  CHECK(refusal("") ==
        "this program doesn't know where kbsim is installed: link kbsim::kbsim in its CMakeLists.txt, or set "
        "KBSIM_CONFIGS in the environment to the folder of kbsim's configs");
  const Named named{"/elsewhere"};
  CHECK(refusal(kConfigs).starts_with("no topology.yaml in /elsewhere, which KBSIM_CONFIGS names: "));
}
