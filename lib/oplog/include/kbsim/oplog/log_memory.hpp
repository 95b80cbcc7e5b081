#pragma once

#include <cstdint>
#include <memory>

#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// Which value each byte of one memory holds now: a map from address ranges to parts of values.
/// Takes no memory before the first value. Reads bind to what is there at that instant; later writes don't
/// change what was read.
class MemoryImage {
 public:
  MemoryImage();
  ~MemoryImage();
  MemoryImage(MemoryImage&&) noexcept;
  MemoryImage& operator=(MemoryImage&&) noexcept;

  /// [address, address + slice.bytes) now holds `slice`; one of an invalid value makes it unwritten.
  void write(std::int64_t address, const Slice& slice);

  /// The contents of [address, address + bytes), in address order, neighbours of one value joined; slices of
  /// an invalid value where they are unwritten.
  [[nodiscard]] Slices read(std::int64_t address, std::int64_t bytes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;  // from the first value on
};

/// `bytes` from `offset` of the array that the slices make up together. Throws InternalError beyond it.
[[nodiscard]] Slices subrange(const Slices& slices, std::int64_t offset, std::int64_t bytes);

}  // namespace kbsim::oplog
