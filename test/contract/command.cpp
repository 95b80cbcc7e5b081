#include "command.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/wait.h>

#include "files.hpp"

namespace kbsim::test {
namespace {

namespace fs = std::filesystem;

// A folder that is removed when the tests end.
const fs::path& scratch() {
  static const struct Folder {
    fs::path path;
    Folder() {
      std::string name = (fs::temp_directory_path() / "kbsim-test-XXXXXX").string();
      path = mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
  } folder;
  return folder.path;
}

}  // namespace

Outcome run_kbsim(const std::string& arguments) { return run_script("timeout 60 $KBSIM " + arguments); }

Outcome run_script(const std::string& script) {
  const fs::path out = scratch() / "stdout";
  const fs::path err = scratch() / "stderr";
  const fs::path folder = scratch() / "empty";
  fs::create_directories(folder);
  const std::string command = "KBSIM=" KBSIM_COMMAND "; cd " + folder.string() + " && { " + script + "; } >" +
                              out.string() + " 2>" + err.string();
  const int status = std::system(command.c_str());
  return {.exit = WEXITSTATUS(status), .out = contents(out), .err = contents(err)};
}

std::string unwrapped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    const char next = c == '\n' ? ' ' : c;
    if (next != ' ' || !all.ends_with(' ')) all += next;
  }
  return all;
}

std::string changed_topology(const std::string& from, const std::string& to) {
  std::string text = contents(fs::path{KBSIM_SOURCE_DIR} / "configs" / "topology.yaml");
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, "topology.yaml has no '" << from << "'");
  text.replace(at, from.size(), to);
  return written("changed.yaml", text);
}

std::string written(const std::string& name, const std::string& text) {
  const fs::path file = scratch() / name;
  std::ofstream{file} << text;
  return file.string();
}

}  // namespace kbsim::test
