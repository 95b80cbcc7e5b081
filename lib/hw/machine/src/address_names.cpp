#include "kbsim/hw/address_names.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace kbsim::hw {
namespace {

constexpr Bytes kNear{16 << 20};

std::uint64_t size_of(Bytes bytes) { return static_cast<std::uint64_t>(bytes.count()); }

}  // namespace

void AddressNames::add(int sip, std::uint64_t va, Bytes bytes, std::string name,
                       std::shared_ptr<const TensorLayout> layout) {
  if (layout != nullptr) any_layout_ = true;
  const std::lock_guard lock{mutex_};
  Ranges& ranges = packages_[sip];
  auto first = ranges.lower_bound(va);
  while (first != ranges.begin() && std::prev(first)->first + size_of(std::prev(first)->second.bytes) > va)
    --first;
  ranges.erase(first, ranges.lower_bound(va + size_of(bytes)));
  ranges[va] = {.bytes = bytes, .name = std::move(name), .layout = std::move(layout)};
}

void AddressNames::drop(int sip, std::uint64_t va) {
  const std::lock_guard lock{mutex_};
  Ranges& ranges = packages_[sip];
  if (const auto found = ranges.find(va); found != ranges.end()) found->second.dropped = true;
}

std::string AddressNames::described(const Range& range) {
  return range.name + (range.dropped ? ", which was freed" : "");
}

const AddressNames::Range* AddressNames::range_of(const Ranges& ranges, std::uint64_t va) {
  const auto next = ranges.upper_bound(va);
  if (next == ranges.begin()) return nullptr;
  const auto& [begin, range] = *std::prev(next);
  return va < begin + size_of(range.bytes) ? &range : nullptr;
}

std::string AddressNames::in_one(const Ranges& ranges, std::uint64_t va) {
  const Range* const range = range_of(ranges, va);
  return range == nullptr ? "" : described(*range);
}

std::shared_ptr<const TensorLayout> AddressNames::layout(int sip, std::uint64_t va) const {
  if (!any_layout_) return nullptr;
  const std::lock_guard lock{mutex_};
  const auto package = packages_.find(sip);
  const Range* const range = package == packages_.end() ? nullptr : range_of(package->second, va);
  return range == nullptr || range->dropped ? nullptr : range->layout;
}

bool AddressNames::freed(int sip, std::uint64_t va) const {
  const std::lock_guard lock{mutex_};
  const auto package = packages_.find(sip);
  const Range* const range = package == packages_.end() ? nullptr : range_of(package->second, va);
  return range != nullptr && range->dropped;
}

std::string AddressNames::at(int sip, std::uint64_t va) const {
  const std::lock_guard lock{mutex_};
  const auto package = packages_.find(sip);
  return package == packages_.end() ? "" : in_one(package->second, va);
}

std::string AddressNames::near(int sip, std::uint64_t va) const {
  const std::lock_guard lock{mutex_};
  const auto package = packages_.find(sip);
  if (package == packages_.end()) return "";
  const Ranges& ranges = package->second;
  if (const std::string in = in_one(ranges, va); !in.empty()) return "; it is in " + in;
  const auto next = ranges.upper_bound(va);
  std::string text;
  Bytes least = kNear;
  if (next != ranges.begin()) {
    const auto& [begin, range] = *std::prev(next);
    const std::uint64_t end = begin + size_of(range.bytes);
    if (va - end < size_of(least)) {
      least = Bytes{static_cast<std::int64_t>(va - end)};
      text = fmt::format("; it is {} the end of {}",
                         least == 0_B ? "right after" : to_string(least) + " after", described(range));
    }
  }
  if (next != ranges.end() && next->first - va < size_of(least)) {
    text = fmt::format("; it is {} before {}", to_string(Bytes{static_cast<std::int64_t>(next->first - va)}),
                       described(next->second));
  }
  return text;
}

}  // namespace kbsim::hw
