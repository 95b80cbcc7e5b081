#include <filesystem>

#include <doctest/doctest.h>

#include "kbsim/config/load.hpp"

#include "fake_catalog.hpp"

using namespace kbsim;
using namespace kbsim::config;
namespace fs = std::filesystem;

namespace {

std::string error_of(const fs::path& file, const Folders& folders = {}) {
  try {
    (void)load_machine({.file = file, .overrides = {}, .catalog = kModels, .folders = folders});
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("Config file: a bare name is looked for here, then in the given folders") {
  CHECK(error_of("topology.yaml", {"/nowhere", KBSIM_SOURCE_DIR "/configs"}).empty());
  const std::string here = fs::current_path().string();
  CHECK(error_of("absent.yaml", {"/nowhere"}) ==
        "absent.yaml: no such file; looked for in " + here + " and /nowhere");
}

TEST_CASE("Config file: a misspelt name is refused with the nearest existing one") {
  const std::string text = error_of("toplogy.yaml", {KBSIM_SOURCE_DIR "/configs"});
  CHECK_MESSAGE(text.ends_with("/configs; did you mean 'topology.yaml'?"), text);
  CHECK(error_of("toplogy.xml", {KBSIM_SOURCE_DIR "/configs"}).ends_with("/configs"));
}

TEST_CASE("Config file: a name with a folder is looked for there alone") {
  CHECK(error_of("/nowhere/absent.yaml", {KBSIM_SOURCE_DIR "/configs"}) ==
        "/nowhere/absent.yaml: no such file; looked for in /nowhere");
}

TEST_CASE("Config file: a folder or no name at all is refused") {
  CHECK(error_of(KBSIM_SOURCE_DIR) == KBSIM_SOURCE_DIR ": is a folder, expected a file");
  CHECK(error_of("").starts_with("'': no such file"));
}
