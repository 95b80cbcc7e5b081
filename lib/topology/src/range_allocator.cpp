#include "kbsim/topology/range_allocator.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::topology {
namespace {

std::uint64_t aligned(std::uint64_t address, Bytes alignment) {
  const auto unit = static_cast<std::uint64_t>(alignment.count());
  return (address + unit - 1) / unit * unit;
}

}  // namespace

RangeAllocator::RangeAllocator(std::string where, std::uint64_t first, Bytes size)
    : where_{std::move(where)}, first_{first}, size_{size}, free_bytes_{size} {
  if (size < 0_B) throw UsageError{fmt::format("{}: size is {}, expected 0 or more", where_, size.count())};
  if (size > 0_B) holes_.emplace(first, count(size));
}

std::uint64_t RangeAllocator::allocate(Bytes size, Bytes alignment) {
  if (size <= 0_B || alignment <= 0_B) {
    throw UsageError{fmt::format("{}: asked for {} B aligned to {} B, expected both positive", where_,
                                 size.count(), alignment.count())};
  }
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    const std::uint64_t skipped = aligned(hole->first, alignment) - hole->first;
    if (skipped > hole->second || hole->second - skipped < count(size)) continue;
    const std::uint64_t address = hole->first + skipped;
    take(hole, address, count(size));
    return address;
  }
  throw AllocationError{fmt::format(
      "{}: asked for {} aligned to {}, but of {} only {} are left, {} in one piece", where_, to_string(size),
      to_string(alignment), to_string(size_), to_string(free_bytes_), to_string(largest_free()))};
}

void RangeAllocator::take(Blocks::iterator hole, std::uint64_t address, std::uint64_t size) {
  const auto [first, length] = *hole;
  holes_.erase(hole);
  if (address > first) holes_.emplace(first, address - first);
  if (address + size < first + length) holes_.emplace(address + size, first + length - address - size);
  live_.emplace(address, size);
  free_bytes_ -= Bytes{static_cast<std::int64_t>(size)};
}

void RangeAllocator::free(std::uint64_t address) {
  if (!contains(address)) {
    throw AllocationError{fmt::format("{:#x} is not an address of {}, which has {:#x} to {:#x}", address,
                                      where_, first_, first_ + count(size_))};
  }
  const auto block = live_.find(address);
  if (block == live_.end()) {
    throw AllocationError{
        fmt::format("{} is not the start of a block: freed twice, or never allocated", name(address))};
  }
  give_back(address, block->second);
  live_.erase(block);
}

void RangeAllocator::give_back(std::uint64_t address, std::uint64_t size) {
  free_bytes_ += Bytes{static_cast<std::int64_t>(size)};
  auto hole = holes_.emplace(address, size).first;
  const auto next = std::next(hole);
  if (next != holes_.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    holes_.erase(next);
  }
  if (hole == holes_.begin()) return;
  const auto before = std::prev(hole);
  if (before->first + before->second != hole->first) return;
  before->second += hole->second;
  holes_.erase(hole);
}

Bytes RangeAllocator::largest_free() const {
  const auto sizes = holes_ | std::views::values;
  return Bytes{holes_.empty() ? 0 : static_cast<std::int64_t>(std::ranges::max(sizes))};
}

std::string RangeAllocator::name(std::uint64_t address) const {
  return fmt::format("{:#x} ({}+{:#x})", address, where_, address - first_);
}

}  // namespace kbsim::topology
