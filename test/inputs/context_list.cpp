// --contexts: a file with a context of each sequence.
#include "kbsim/inputs/context_list.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::inputs::contexts_test {
namespace {

using Contexts = std::vector<std::int64_t>;

Contexts contexts_in(const std::string& text, const ContextLimits& limits = {}) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "kbsim_test_contexts.csv";
  std::ofstream{file} << text;
  return read_contexts(file, limits);
}

void check_refused(const std::string& text, std::string_view says, const ContextLimits& limits = {}) {
  CAPTURE(text);
  try {
    (void)contexts_in(text, limits);
    FAIL("it is accepted");
  } catch (const Error& error) {
    CAPTURE(error.what());
    CHECK(error.exit_code() == ExitCode::usage);
    CHECK(std::string_view{error.what()}.find(says) != std::string_view::npos);
  }
}

}  // namespace

TEST_CASE("read_contexts: a file has a number a line, or a CSV a column of them") {
  CHECK(contexts_in("5\n 17 \n\n# longest\n100\n") == Contexts{5, 17, 100});
  CHECK(contexts_in("5\r\n17", {.batch = 2}) == Contexts{5, 17});
  CHECK(contexts_in("name,context\na,5\nb, 17\n") == Contexts{5, 17});
  CHECK(contexts_in("context\n9\n") == Contexts{9});
  CHECK(contexts_in("\xef\xbb\xbf\"name\",\"context\"\n\"a, b\",\"5\"\n") == Contexts{5});
  CHECK(contexts_in("Context;name;\n5;a;\n") == Contexts{5});
  CHECK(contexts_in("99\n", {.positions = 100}) == Contexts{99});
}

TEST_CASE("read_contexts: a line that is no context is refused with its place") {
  check_refused("5\nmany\n",
                "kbsim_test_contexts.csv:2:1: found 'many', expected a whole number from 1 to 1048576");
  check_refused("5\n0\n", ":2:1: found '0'");
  check_refused("5\n-3\n", ":2:1: found '-3'");
  check_refused("5\n1.5\n", ":2:1: found '1.5'");
  check_refused("1048577\n", ":1:1: found '1048577'");
  check_refused("name,context\na,5\nb,\n", ":3:3: found ''");
  check_refused("5\n 100\n",
                ":2:2: found '100', expected a whole number from 1 to 99 (the model has 100 positions",
                {.positions = 100});
}

TEST_CASE("read_contexts: columns that aren't as in the header are refused with their place") {
  check_refused("name,length\na,5\n", ":1:1: found 'name', expected a header with a column 'context'");
  check_refused("context,name,context\n5,a,6\n", ":1:14: two columns called 'context'");
  check_refused("name,context\na\n", ":2:1: 1 cell, expected 2 as in the first line");
  check_refused("name,context\na,5,6\n", ":2:1: 3 cells, expected 2 as in the first line");
  check_refused("5\n6,7\n", ":2:1: 2 cells, expected 1 as in the first line");
}

TEST_CASE("read_contexts: another number of contexts than sequences is refused with the line") {
  check_refused("", "no context, expected one a line");
  check_refused("context\n", "no context after the header");
  check_refused("context\n5\n6\n", ":3:1: the last one of 2 contexts, expected 3 (--batch)", {.batch = 3});
  check_refused("context\n5\n\n6\n", ":4:1: context 2, expected 1 (--batch)", {.batch = 1});
  std::string many;
  for (int i = 0; i < 257; ++i) many += "5\n";
  check_refused(many, ":257:1: context 257, expected 1 to 256");
}

}  // namespace kbsim::inputs::contexts_test
