#include "kbsim/inputs/text.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

namespace kbsim::inputs::test {

TEST_CASE("Text: an offset's place is its line and its column there") {
  const Text text{"plan.xml", "ab\n\ncd"};
  const auto place = [&](std::size_t offset) { return to_string(text.place(offset)); };
  CHECK(place(0) == "plan.xml:1:1");
  CHECK(place(1) == "plan.xml:1:2");
  CHECK(place(2) == "plan.xml:1:3");  // the line's end is its own
  CHECK(place(3) == "plan.xml:2:1");
  CHECK(place(4) == "plan.xml:3:1");
  CHECK(place(6) == "plan.xml:3:3");
  CHECK(place(600) == "plan.xml:3:3");
}

TEST_CASE("Text: a byte order mark is no part of it, and moves no column") {
  const Text text{"plan.xml",
                  "\xef\xbb\xbf"
                  "ab"};
  CHECK(text.content() == "ab");
  CHECK(to_string(text.place(1)) == "plan.xml:1:2");
  CHECK(Text{"plan.xml", "\xef\xbb"}.content() == "\xef\xbb");
  CHECK(Text{"plan.xml", "a\xef\xbb\xbf"}.content().size() == 4);
}

TEST_CASE("Text: an error names its place") {
  const Text text{"plan.xml", "a\nb"};
  CHECK(std::string{text.error(2, "no 'b' here").what()} == "plan.xml:2:1: no 'b' here");
}

TEST_CASE("Text: UTF-16 is reported as such") {
  const auto file = std::filesystem::temp_directory_path() / "kbsim-utf16.csv";
  std::ofstream{file} << "\xff\xfes";
  CHECK_THROWS_WITH_AS((void)Text::read(file), doctest::Contains("this is UTF-16, expected UTF-8"),
                       UsageError);
}

TEST_CASE("Text: a file that isn't there, or is too large, is reported by its name") {
  CHECK_THROWS_WITH_AS((void)Text::read("/nowhere/plan.xml"), "/nowhere/plan.xml: no such file", UsageError);
  CHECK_THROWS_AS((void)Text::read("/dev/zero", 4096), UsageError);
}

}  // namespace kbsim::inputs::test
