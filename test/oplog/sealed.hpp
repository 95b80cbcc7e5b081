#pragma once

#include <span>
#include <string>

#include <boost/crc.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/oplog/file.hpp"

namespace kbsim::test {

inline std::uint64_t fixed_at(const std::string& file, std::size_t at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value |= std::uint64_t{static_cast<std::uint8_t>(file[at + static_cast<std::size_t>(i)])} << (8 * i);
  }
  return value;
}

inline void put_fixed(std::string& file, std::size_t at, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    file[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i));
}

inline void put_checksum(std::string& file, std::size_t begin, std::size_t end) {
  boost::crc_32_type crc;
  crc.process_bytes(file.data() + begin, end - begin);
  put_fixed(file, end, crc.checksum(), 4);
}

/// The file with checksums that are right, as a forger would write them: of the header, and of each section
/// whose length fits.
inline std::string sealed(std::string file) {
  constexpr std::size_t kHeader = 12;
  if (file.size() < kHeader + 4) return file;
  put_checksum(file, 0, kHeader);
  std::size_t at = kHeader + 4;
  while (file.size() - at >= 16) {
    const std::uint64_t length = fixed_at(file, at + 4, 8);
    if (length > file.size() - at - 16) break;
    put_checksum(file, at, at + 12 + length);
    at += 16 + length;
  }
  return file;
}

/// Result of decode(): the log's digest, or the text of the UsageError.
struct Decoded {
  std::string digest;
  std::string error;
};
inline Decoded decoded(const std::string& file) {
  try {
    return {.digest = to_string(oplog::decode(std::as_bytes(std::span{file}), "f.oplog").digest()),
            .error = {}};
  } catch (const UsageError& error) {
    return {.digest = {}, .error = error.what()};
  }
}

}  // namespace kbsim::test
