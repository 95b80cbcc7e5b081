#include "kbsim/topology/virtual_memory.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::topology {
namespace {

/// A mapping cut to [first, last), which it must overlap.
Mapping cut(const Mapping& m, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t va = std::max(m.va, first);
  const std::uint64_t end = std::min(m.end(), last);
  return {.va = va,
          .pa = m.pa + Bytes{static_cast<std::int64_t>(va - m.va)},
          .bytes = Bytes{static_cast<std::int64_t>(end - va)}};
}

/// The first mapping that ends above `va`: it holds `va` or is the next one up.
auto first_above(auto& sorted, std::uint64_t va) {
  return std::ranges::upper_bound(sorted, va, {}, &Mapping::end);
}

std::uint64_t distance(const Mapping& m, std::uint64_t va) {
  if (va < m.va) return m.va - va;
  return va < m.end() ? 0 : va - m.end() + 1;
}

void check_not_empty(std::string_view verb, std::uint64_t va, Bytes bytes) {
  if (bytes <= 0_B) {
    throw UsageError{fmt::format("can't {} {} bytes at {:#x}, expected 1 or more", verb, bytes.count(), va)};
  }
}

}  // namespace

std::uint64_t VirtualAllocator::allocate(Bytes size) {
  return ranges_.allocate(kPageSize * ceil_div(size.count(), kPageSize.count()), kPageSize);
}

std::string to_string(const Mapping& m) {
  return fmt::format("{:#x} to {:#x} at {}", m.va, m.end(), to_string(m.pa));
}

void AddressMap::insert(const Mapping& mapping) {
  check_not_empty("map", mapping.va, mapping.bytes);
  const auto next = first_above(mappings_, mapping.va);
  if (next != mappings_.end() && next->va < mapping.end()) {
    throw AllocationError{
        fmt::format("can't map {}: {} is mapped already", to_string(mapping), to_string(*next))};
  }
  mappings_.insert(next, mapping);
}

void AddressMap::erase(std::uint64_t va, Bytes bytes) {
  check_not_empty("unmap", va, bytes);
  const std::uint64_t end = va + static_cast<std::uint64_t>(bytes.count());
  const auto first = first_above(mappings_, va);
  const auto last = std::ranges::lower_bound(first, mappings_.end(), end, {}, &Mapping::va);
  if (first == last)
    throw AllocationError{fmt::format("can't unmap {:#x} to {:#x}: nothing is mapped there", va, end)};
  std::vector<Mapping> kept;
  if (first->va < va) kept.push_back(cut(*first, first->va, va));
  if (std::prev(last)->end() > end) kept.push_back(cut(*std::prev(last), end, std::prev(last)->end()));
  mappings_.insert(mappings_.erase(first, last), kept.begin(), kept.end());
}

Translation AddressMap::lookup(std::uint64_t va, Bytes bytes) const {
  const std::uint64_t end = va + static_cast<std::uint64_t>(bytes.count());
  Translation found;
  if (end < va) found.unmapped = va;  // nothing is mapped at the end of the address space
  for (auto m = first_above(mappings_, va); va < end; ++m) {
    if (m == mappings_.end() || m->va > va) {
      found.unmapped = va;
      break;
    }
    const Mapping piece = cut(*m, va, end);
    found.pieces.push_back({.pa = piece.pa, .bytes = piece.bytes});
    va = piece.end();
  }
  return found;
}

std::optional<Mapping> AddressMap::nearest(std::uint64_t va) const {
  if (mappings_.empty()) return std::nullopt;
  return *std::ranges::min_element(mappings_, {}, [va](const Mapping& m) { return distance(m, va); });
}

}  // namespace kbsim::topology
