// Files that name the mappings of a model's operations.
#include "kbsim/config/mapping_file.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::config::test::mapping_file_test {
namespace {

MappingFile loaded(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / "kbsim-mappings.yaml";
  std::ofstream{file} << text;
  return load_mapping_file(file, {.operations = {"qkv", "gate/up", "down"},
                                  .summed = {"output", "down"},
                                  .mappings = {"auto", "columns", "blocks"}});
}

// The problems of a file, one line each, without its folder.
std::string problems_of(const std::string& text) {
  try {
    (void)loaded(text);
  } catch (const ConfigError& error) {
    std::string lines;
    for (const ConfigProblem& problem : error.problems())
      lines += std::to_string(problem.at.line) + " " + problem.key + ": " + problem.text + "\n";
    return lines;
  }
  return "";
}

}  // namespace

TEST_CASE("load_mapping_file: a default, and the operations that differ") {
  const MappingFile file = loaded("default: columns\noperations: {gate/up: blocks, down: auto}\n");
  CHECK(file.all == "columns");
  CHECK(file.operations == std::map<std::string, std::string>{{"gate/up", "blocks"}, {"down", "auto"}});
  CHECK(loaded("operations: {qkv: blocks}\n").all == "auto");
}

TEST_CASE("load_mapping_file: every mistake has its line") {
  CHECK(problems_of("default: colums\noperations:\n  qvk: columns\n  down: [blocks]\nother: 1\n") ==
        "1 default: unknown mapping 'colums', did you mean 'columns'?\n"
        "3 operations.qvk: unknown operation, did you mean 'qkv'?\n"
        "4 operations.down: found a list, expected a mapping\n"
        "5 other: unknown key (known: default, operations, overlap)\n");
  CHECK(problems_of("operations: blocks\n") ==
        "1 operations: found 'blocks', expected operations and their mappings\n");
  CHECK(problems_of("- columns\n").find("expected the keys default, operations and overlap") !=
        std::string::npos);
}

TEST_CASE("load_mapping_file: operations whose sums over packages overlap") {
  CHECK(loaded("overlap: [down]\n").overlap == std::set<std::string, std::less<>>{"down"});
  CHECK(loaded("overlap: []\n").overlap.empty());
  CHECK(problems_of("overlap: down\n") == "1 overlap: found 'down', expected a list of operations\n");
  CHECK(problems_of("overlap:\n  - dwon\n  - down\n  - down\n  - qkv\n") ==
        "2 overlap: no operation whose parts are added up over packages, did you mean 'down'?\n"
        "4 overlap: down is there twice\n"
        "5 overlap: no operation whose parts are added up over packages (known: output, down)\n");
}

}  // namespace kbsim::config::test::mapping_file_test
