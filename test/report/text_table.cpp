#include "kbsim/report/text_table.hpp"

#include <doctest/doctest.h>

namespace kbsim::report {
namespace {

TextTable table(Columns columns) {
  TextTable result{{{.title = "name", .is_text = true, .most = 6},
                    {.title = "time", .unit = "(us)"},
                    {.title = "bytes", .is_wide = true},
                    {.title = "by", .is_text = true}},
                   columns};
  result.add({"a", "1.5", "7", "links"});
  result.add({"bc", "10.25", "1234567", ""}, "WRONG");
  result.add({"a_long_name", "2", "", "HBM"}, "", "    a note\n");
  return result;
}

}  // namespace

TEST_CASE("TextTable: columns are as wide as their cells, numbers right, no blanks at the ends of lines") {
  CHECK(table(Columns::all).text() ==
        "  name   time    bytes  by\n"
        "         (us)\n"
        "  a       1.5        7  links\n"
        "  bc    10.25  1234567  WRONG\n"
        "  a_long_name\n"
        "            2           HBM\n"
        "    a note\n");
}

TEST_CASE("TextTable: without Columns::all, wide columns are left out") {
  CHECK(table(Columns::usual).text() ==
        "  name   time  by\n"
        "         (us)\n"
        "  a       1.5  links\n"
        "  bc    10.25  WRONG\n"
        "  a_long_name\n"
        "            2  HBM\n"
        "    a note\n");
}

}  // namespace kbsim::report
