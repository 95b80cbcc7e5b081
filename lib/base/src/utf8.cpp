#include "kbsim/base/utf8.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <boost/locale/utf.hpp>
#include <fmt/format.h>

namespace kbsim {
namespace {

namespace utf = boost::locale::utf;

std::string escaped(char byte, std::string_view backslash) {
  return fmt::format("{}x{:02x}", backslash, static_cast<unsigned char>(byte));
}

// The end of the whole blocks of ASCII from here on: most of every text.
const char* behind_ascii(const char* at, const char* end) {
  constexpr std::uint64_t kOthers = 0x8080'8080'8080'8080U;
  std::array<std::uint64_t, 4> block{};
  for (; end - at >= static_cast<std::ptrdiff_t>(sizeof block); at += sizeof block) {
    std::memcpy(block.data(), at, sizeof block);
    if (((block[0] | block[1] | block[2] | block[3]) & kOthers) != 0) break;
  }
  return at;
}

// Characters are kept; `backslash` begins a byte that is part of none.
std::string checked(std::string_view text, std::string_view backslash) {
  std::string valid;
  valid.reserve(text.size());
  const char* kept = text.begin();  // valid characters from here on aren't appended yet
  for (const char* at = behind_ascii(kept, text.end()); at != text.end(); at = behind_ascii(at, text.end())) {
    const char* next = at;
    const utf::code_point c = utf::utf_traits<char>::decode(next, text.end());
    if (c == utf::illegal || c == utf::incomplete) {
      valid.append(kept, at).append(escaped(*at, backslash));
      kept = next = at + 1;
    }
    at = next;
  }
  return valid.append(kept, text.end());
}

// A character that XML has no notation for.
bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r'; }

std::string replaced(std::string_view text, std::string_view found, std::string_view by) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = text.find(found); at != std::string_view::npos; at = text.find(found)) {
    result.append(text.substr(0, at)).append(by);
    text.remove_prefix(at + found.size());
  }
  return result.append(text);
}

}  // namespace

std::string as_utf8(std::string_view text) { return checked(text, "\\"); }

std::string json_as_utf8(std::string_view json) { return checked(json, "\\\\"); }

std::string json_in_script(std::string_view json) {
  std::string safe = replaced(json_as_utf8(json), "<", "\\u003c");
  safe = replaced(safe, "\u2028", "\\u2028");
  return replaced(safe, "\u2029", "\\u2029");
}

std::string in_markup(std::string_view text) {
  std::string safe;
  for (const char c : as_utf8(text)) {
    if (is_control(c)) {
      safe += escaped(c, "\\");
      continue;
    }
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

}  // namespace kbsim
