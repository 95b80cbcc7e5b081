#include "kbsim/base/utf8.hpp"

#include <doctest/doctest.h>

using namespace kbsim;

TEST_CASE("as_utf8: valid text stays as it is") {
  for (const std::string text : {"", "plain", "caf\u00e9", "\u20ac \U0001f600", "a\\xe9", "\ufffd"})
    CHECK(as_utf8(text) == text);
}

TEST_CASE("as_utf8: each byte that is part of no character is escaped, and those around it are kept") {
  CHECK(as_utf8("caf\xe9!") == "caf\\xe9!");
  CHECK(as_utf8("\xe9") == "\\xe9");
  CHECK(as_utf8("\u00e9\xff\u00e9") == "\u00e9\\xff\u00e9");
  CHECK(as_utf8("\x80\x81") == "\\x80\\x81");                    // continuations of nothing
  CHECK(as_utf8("\xe2\x82") == "\\xe2\\x82");                    // a character that is cut
  CHECK(as_utf8("\xc0\xaf") == "\\xc0\\xaf");                    // longer than it needs
  CHECK(as_utf8("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(as_utf8("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  CHECK(as_utf8(as_utf8("\xe9")) == as_utf8("\xe9"));
  for (std::size_t before = 0; before < 70; ++before) {  // wherever a block of the text begins
    const std::string ascii(before, 'a');
    CHECK(as_utf8(ascii + "\xe9" + ascii + "\u20ac" + ascii) == ascii + "\\xe9" + ascii + "\u20ac" + ascii);
  }
}

TEST_CASE("json_as_utf8: such a byte reads as it is escaped in plain text") {
  CHECK(json_as_utf8("{\"a\":\"caf\xe9\"}") == "{\"a\":\"caf\\\\xe9\"}");
  CHECK(json_as_utf8("[\"\u20ac\"]") == "[\"\u20ac\"]");
}

TEST_CASE("json_in_script: no text ends a script or begins a comment in it") {
  CHECK(json_in_script("[\"</script><!--\"]") == "[\"\\u003c/script>\\u003c!--\"]");
  CHECK(json_in_script("[\"\u2028\u2029\"]") == "[\"\\u2028\\u2029\"]");
  CHECK(json_in_script("[\"\xe9\"]") == "[\"\\\\xe9\"]");
}

TEST_CASE("in_markup: text of an element or an attribute, of characters that XML has") {
  CHECK(in_markup("<a b=\"c\" d='e'>&") == "&lt;a b=&quot;c&quot; d='e'&gt;&amp;");
  CHECK(in_markup("caf\xe9\n") == "caf\\xe9\n");
  CHECK(in_markup(std::string{"\x01\0\x1f", 3}) == "\\x01\\x00\\x1f");
}
