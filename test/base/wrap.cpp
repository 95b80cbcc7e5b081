#include "kbsim/base/wrap.hpp"

#include <doctest/doctest.h>

namespace kbsim {

TEST_CASE("wrapped: a line ends at its last blank that fits, later lines are indented") {
  CHECK(wrapped("one two three", 2, 7) == "one two\n  three");
  CHECK(wrapped("one two three", 2, 8) == "one two\n  three");
  CHECK(wrapped("one two three", 2, 6) == "one\n  two\n  three");
  CHECK(wrapped("one two three", 0, 13) == "one two three");
  CHECK(wrapped("", 2, 7) == "");
}

TEST_CASE("wrapped: each given line by itself, its line end stays") {
  CHECK(wrapped("one two\n\nthree four\n", 1, 5) == "one\n two\n\nthree\n four\n");
}

TEST_CASE("wrapped: a word longer than a line stays whole, several blanks stay where no line ends") {
  CHECK(wrapped("  a_long_word and", 2, 6) == "  a_long_word\n  and");
  CHECK(wrapped("a_long_word", 2, 6) == "a_long_word");
  CHECK(wrapped("a   b cc", 2, 6) == "a   b\n  cc");
  CHECK(wrapped("    a bb", 4, 6) == "    a\n    bb");
  CHECK(wrapped("ab ", 1, 2) == "ab ");
  CHECK(wrapped("about 69 % of it", 2, 9) == "about\n  69 % of\n  it");
}

}  // namespace kbsim
