#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kbsim/base/error.hpp"

namespace kbsim::oplog {

/// Reads the format's numbers from a part of a file, never beyond its end. UsageError with the offset.
class FileReader {
 public:
  /// `part` begins at `offset` of the file.
  FileReader(const std::string& file, std::span<const std::byte> part, std::size_t offset)
      : file_{file}, part_{part}, offset_{offset} {}

  [[nodiscard]] std::size_t left() const { return part_.size() - at_; }
  [[nodiscard]] std::size_t offset() const { return offset_ + at_; }

  std::uint8_t byte() { return static_cast<std::uint8_t>(bytes(1).front()); }
  std::uint64_t fixed(std::size_t n);
  std::uint64_t number();
  std::int64_t signed_number();
  /// A number of things that take at least a byte each.
  std::size_t count();
  std::span<const std::byte> bytes(std::size_t n);
  std::string text();
  template <class Enum>
  Enum enumerator(Enum last, const char* what) {
    const std::uint8_t value = byte();
    if (value > static_cast<std::uint8_t>(last)) fail_before(1, std::string{"there is no such "} + what);
    return static_cast<Enum>(value);
  }

  [[noreturn]] void fail(const std::string& text) const { fail_before(0, text); }
  /// The mistake began `n` bytes before.
  [[noreturn]] void fail_before(std::size_t n, const std::string& text) const;

 private:
  const std::string& file_;
  std::span<const std::byte> part_;
  std::size_t offset_;
  std::size_t at_ = 0;
};

}  // namespace kbsim::oplog
