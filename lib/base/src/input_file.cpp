#include "kbsim/base/input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"

namespace kbsim {
namespace {

namespace fs = std::filesystem;

std::string unreadable_because(const std::string& reason) { return fmt::format("can't be read: {}", reason); }

}  // namespace

std::string why_unreadable(const fs::path& file) {
  std::error_code error;
  const fs::file_type type = fs::status(file, error).type();
  if (type == fs::file_type::not_found) return "no such file";
  if (type == fs::file_type::directory) return "is a folder, expected a file";
  if (!error && access(file.c_str(), R_OK) != 0) error = {errno, std::generic_category()};
  return error ? unreadable_because(error.message()) : "";
}

std::string why_unreadable_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_type type = fs::status(folder, error).type();
  if (type == fs::file_type::not_found) return "no such folder";
  if (error) return unreadable_because(error.message());
  return type == fs::file_type::directory ? "" : "is no folder";
}

std::string read_input(const fs::path& file, const std::string& named, std::size_t most) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;  // a device may have no end
  const auto fail = [&](const std::string& why) { return UsageError{fmt::format("{}: {}", named, why)}; };
  if (const std::string why = why_unreadable(file); !why.empty()) throw fail(why);
  std::ifstream in{file, std::ios::binary};
  std::string text;
  while (in) {
    const std::size_t size = text.size();
    text.resize(size + std::max(kAtOnce, size / 2));
    in.read(text.data() + size, static_cast<std::streamsize>(text.size() - size));
    text.resize(size + static_cast<std::size_t>(in.gcount()));
    if (text.size() > most) throw fail("is larger than " + to_string(Bytes{static_cast<std::int64_t>(most)}));
    require_memory("reading " + named);
  }
  if (in.bad() || !in.eof()) throw fail(unreadable_because("an error in its midst"));
  return text;
}

std::string without_byte_order_mark(std::string text) {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

bool looks_like_json(const std::string& text) {
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::size_t first = text.find_first_not_of(" \t\r\n", begin);
  return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace kbsim
