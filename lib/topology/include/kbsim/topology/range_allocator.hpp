#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kbsim/base/bytes.hpp"

namespace kbsim::topology {

/// Allocates parts of one address range, first fit; freed neighbours join and are reused. AllocationError
/// states the request, the free bytes and `where`; likewise for an address freed twice or never allocated.
class RangeAllocator {
 public:
  RangeAllocator(std::string where, std::uint64_t first, Bytes size);

  /// The lowest free address that is a multiple of `alignment` and starts `size` free bytes.
  [[nodiscard]] std::uint64_t allocate(Bytes size, Bytes alignment = 1_B);
  /// Frees the whole block that starts at `address`.
  void free(std::uint64_t address);

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] bool contains(std::uint64_t address) const { return address - first_ < count(size_); }
  [[nodiscard]] Bytes size() const { return size_; }
  [[nodiscard]] Bytes free_bytes() const { return free_bytes_; }
  [[nodiscard]] Bytes largest_free() const;

 private:
  using Blocks = std::map<std::uint64_t, std::uint64_t>;  // first address to size

  [[nodiscard]] static std::uint64_t count(Bytes n) { return static_cast<std::uint64_t>(n.count()); }
  void take(Blocks::iterator hole, std::uint64_t address, std::uint64_t size);
  void give_back(std::uint64_t address, std::uint64_t size);
  [[nodiscard]] std::string name(std::uint64_t address) const;

  std::string where_;
  std::uint64_t first_;
  Bytes size_;
  Bytes free_bytes_;
  Blocks holes_;
  Blocks live_;
};

}  // namespace kbsim::topology
