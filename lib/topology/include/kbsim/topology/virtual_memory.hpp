#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "kbsim/base/bytes.hpp"
#include "kbsim/topology/address.hpp"
#include "kbsim/topology/range_allocator.hpp"

namespace kbsim::topology {

inline constexpr std::uint64_t kVirtualBase = 0x1'0000'0000;
inline constexpr Bytes kVirtualSize = 64_GiB;
inline constexpr Bytes kPageSize = 4_KiB;

/// Allocates ranges of whole pages of the virtual space; freed ranges are reused.
class VirtualAllocator {
 public:
  VirtualAllocator() : ranges_{"virtual memory", kVirtualBase, kVirtualSize} {}

  [[nodiscard]] std::uint64_t allocate(Bytes size);
  void free(std::uint64_t va) { ranges_.free(va); }
  [[nodiscard]] Bytes free_bytes() const { return ranges_.free_bytes(); }

 private:
  RangeAllocator ranges_;
};

/// [va, va + bytes) is the memory at `pa`. It need not be whole pages: PEs' shards may share a page.
struct Mapping {
  std::uint64_t va = 0;
  PhysAddr pa;
  Bytes bytes{};

  [[nodiscard]] constexpr std::uint64_t end() const { return va + static_cast<std::uint64_t>(bytes.count()); }
  friend constexpr bool operator==(const Mapping&, const Mapping&) = default;
};
[[nodiscard]] std::string to_string(const Mapping& m);  // "0x100000000 to 0x100000100 at sip0.cube0 hbm+0x0"

/// A stretch of physical memory.
struct PhysRange {
  PhysAddr pa;
  Bytes bytes{};
  friend constexpr bool operator==(const PhysRange&, const PhysRange&) = default;
};

using PhysRanges = boost::container::small_vector<PhysRange, 2>;

/// The physical parts of a virtual range in order of address, up to the first unmapped byte.
struct Translation {
  PhysRanges pieces;
  std::optional<std::uint64_t> unmapped;  // the first missing address

  [[nodiscard]] bool complete() const { return !unmapped; }
};

/// One MMU's table, sorted by virtual address.
class AddressMap {
 public:
  /// Throws AllocationError if any of it is mapped already, UsageError if it is empty.
  void insert(const Mapping& mapping);
  /// Unmaps the mapped parts of [va, va + bytes), cutting mappings that reach out of it; AllocationError if
  /// there are none.
  void erase(std::uint64_t va, Bytes bytes);

  [[nodiscard]] Translation lookup(std::uint64_t va, Bytes bytes) const;
  /// The mapping at or closest to an address, the lower one of two; none in an empty table.
  [[nodiscard]] std::optional<Mapping> nearest(std::uint64_t va) const;

  [[nodiscard]] const std::vector<Mapping>& mappings() const { return mappings_; }

 private:
  std::vector<Mapping> mappings_;
};

}  // namespace kbsim::topology
