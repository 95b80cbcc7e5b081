#include "file_reader.hpp"

#include <fmt/format.h>

namespace kbsim::oplog {

void FileReader::fail_before(std::size_t n, const std::string& text) const {
  throw UsageError{fmt::format("{}: at byte {}: {}", file_, offset() - n, text)};
}

std::span<const std::byte> FileReader::bytes(std::size_t n) {
  if (n > left()) fail(fmt::format("{} bytes are needed, {} are left", n, left()));
  const std::span<const std::byte> found = part_.subspan(at_, n);
  at_ += n;
  return found;
}

std::uint64_t FileReader::fixed(std::size_t n) {
  std::uint64_t value = 0;
  std::size_t shift = 0;
  for (const std::byte b : bytes(n))
    value |= std::uint64_t{static_cast<std::uint8_t>(b)} << shift, shift += 8;
  return value;
}

std::uint64_t FileReader::number() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte();
    value |= std::uint64_t{next & 0x7fU} << shift;
    if (next < 0x80) return value;
  }
  fail("a number of more than 64 bits");
}

std::int64_t FileReader::signed_number() {
  const std::uint64_t bits = number();
  return static_cast<std::int64_t>((bits & 1) != 0 ? ~(bits >> 1) : bits >> 1);
}

std::size_t FileReader::count() {
  const std::uint64_t n = number();
  if (n > left()) fail(fmt::format("{} things in the {} bytes that are left", n, left()));
  return n;
}

std::string FileReader::text() {
  const std::span<const std::byte> found = bytes(count());
  return {reinterpret_cast<const char*>(found.data()), found.size()};
}

}  // namespace kbsim::oplog
