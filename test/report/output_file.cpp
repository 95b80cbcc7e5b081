// Files are whole or not there.
#include "kbsim/report/output_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

using namespace kbsim;
namespace fs = std::filesystem;

namespace {

fs::path empty_folder() {
  const fs::path folder = fs::temp_directory_path() / "kbsim_test_output_file";
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::string contents(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator{folder}, fs::directory_iterator{});
}

}  // namespace

TEST_CASE("Output files: what is written replaces what was there, and leaves nothing beside it") {
  const fs::path folder = empty_folder();
  report::write_file(folder / "a", "first");
  report::write_file(folder / "a", "second");
  CHECK(contents(folder / "a") == "second");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("Output files: asking whether one can be written changes nothing") {
  const fs::path folder = empty_folder();
  report::write_file(folder / "a", "as it was");
  report::require_writable(folder / "a");
  report::require_writable(folder / "b");
  CHECK(contents(folder / "a") == "as it was");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("Output files: a folder that isn't there, and a folder in the file's place") {
  const fs::path folder = empty_folder();
  const std::string nowhere = (folder / "no" / "a").string();
  for (const auto ask : {+[](const fs::path& f) { report::require_writable(f); },
                         +[](const fs::path& f) { report::write_file(f, "text"); }}) {
    CHECK_THROWS_WITH_AS(ask(nowhere), ("can't write '" + nowhere + "': No such file or directory").c_str(),
                         UsageError);
    CHECK_THROWS_WITH_AS(ask(folder), ("can't write '" + folder.string() + "': Is a directory").c_str(),
                         UsageError);
  }
  CHECK(files_in(folder) == 0);
}
