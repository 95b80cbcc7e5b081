#include "kbsim/oplog/log_memory.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/self_profile.hpp"

namespace kbsim::oplog {
namespace {

const WorkKind kContents{"contents of memories"};

/// The addresses up to `end` hold bytes of a value: that of address a is byte a + shift. A part that is cut
/// in two keeps its shift, so that two neighbours belong together exactly if value and shift agree.
struct Part {
  std::int64_t end = 0;
  ValueId value;
  std::int64_t shift = 0;
};

}  // namespace

struct MemoryImage::Impl {
  using Parts = std::map<std::int64_t, Part>;  // by first address: disjoint, neighbours joined
  Parts parts;
  std::optional<Parts::const_iterator> last_read;  // rows are read one after the other; until the next write

  /// The part that holds all of [address, end), if it is the one that was read last.
  [[nodiscard]] const Part* last_holds(std::int64_t address, std::int64_t end) const {
    if (!last_read || (*last_read)->first > address) return nullptr;
    const Part& part = (*last_read)->second;
    return end <= part.end ? &part : nullptr;
  }

  /// The first part that ends after `address`.
  [[nodiscard]] Parts::const_iterator covering(std::int64_t address) const {
    const auto next = parts.upper_bound(address);
    const auto before = next == parts.begin() ? parts.end() : std::prev(next);
    return before != parts.end() && before->second.end > address ? before : next;
  }

  /// Makes `address` a border and returns the first part from there on.
  Parts::iterator cut(std::int64_t address) {
    const auto at = parts.lower_bound(address);
    if (at == parts.begin()) return at;
    Part& before = std::prev(at)->second;
    if (before.end <= address) return at;
    const Part rest = before;
    before.end = address;
    return parts.emplace_hint(at, address, rest);
  }

  /// Leaves [begin, end) unwritten and returns the first part after it.
  Parts::iterator clear(std::int64_t begin, std::int64_t end) {
    const auto first = cut(begin);
    return first == parts.end() || first->first >= end ? first : parts.erase(first, cut(end));
  }

  void join(Parts::iterator left, Parts::iterator right) {
    if (left == parts.end() || right == parts.end()) return;
    Part& a = left->second;
    const Part& b = right->second;
    if (a.end != right->first || a.value != b.value || a.shift != b.shift) return;
    a.end = b.end;
    parts.erase(right);
  }
};

MemoryImage::MemoryImage() = default;
MemoryImage::~MemoryImage() = default;
MemoryImage::MemoryImage(MemoryImage&&) noexcept = default;
MemoryImage& MemoryImage::operator=(MemoryImage&&) noexcept = default;

void MemoryImage::write(std::int64_t address, const Slice& slice) {
  ensure(slice.bytes >= 0, "a write of negative size");
  const WorkScope scope{kContents};
  if (slice.bytes == 0) return;
  if (impl_ == nullptr) {
    if (!slice.value.valid()) return;
    impl_ = std::make_unique<Impl>();
  }
  impl_->last_read.reset();
  const std::int64_t end = address + slice.bytes;
  const auto after = impl_->clear(address, end);
  if (!slice.value.valid()) return;
  const Part part{.end = end, .value = slice.value, .shift = slice.offset - address};
  const auto at = impl_->parts.emplace_hint(after, address, part);
  impl_->join(at, after);
  if (at != impl_->parts.begin()) impl_->join(std::prev(at), at);
}

Slices MemoryImage::read(std::int64_t address, std::int64_t bytes) const {
  ensure(bytes >= 0, "a read of negative size");
  const WorkScope scope{kContents};
  Slices found;
  if (bytes == 0) return found;
  if (impl_ == nullptr) return {{.value = {}, .offset = 0, .bytes = bytes}};
  const std::int64_t end = address + bytes;
  if (const Part* const part = impl_->last_holds(address, end))
    return {{.value = part->value, .offset = address + part->shift, .bytes = bytes}};
  auto it = impl_->covering(address);
  if (it != impl_->parts.end()) impl_->last_read = it;
  while (address < end) {
    const std::int64_t begin = it == impl_->parts.end() ? end : std::min(it->first, end);
    if (begin > address) {
      found.push_back({.value = {}, .offset = 0, .bytes = begin - address});
      address = begin;
      continue;
    }
    const Part& part = it->second;
    const std::int64_t stop = std::min(part.end, end);
    found.push_back({.value = part.value, .offset = address + part.shift, .bytes = stop - address});
    address = stop;
    ++it;
  }
  return found;
}

Slices subrange(const Slices& slices, std::int64_t offset, std::int64_t bytes) {
  Slices part;
  const std::int64_t end = offset + bytes;
  std::int64_t position = 0;
  for (const Slice& slice : slices) {
    const std::int64_t from = std::max(offset, position);
    const std::int64_t to = std::min(end, position + slice.bytes);
    const std::int64_t skipped = slice.value.valid() ? from - position : 0;
    if (from < to) part.push_back({slice.value, slice.offset + skipped, to - from});
    position += slice.bytes;
  }
  const bool inside = offset >= 0 && bytes >= 0 && end <= position;
  ensure(inside,
         [&] { return fmt::format("{} bytes from {} of an array of {} bytes", bytes, offset, position); });
  return part;
}

}  // namespace kbsim::oplog
