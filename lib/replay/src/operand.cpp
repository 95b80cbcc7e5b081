#include "operand.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::replay {
namespace {

constexpr std::byte kUnwritten{0xff};

std::span<const std::byte> slice_of(const oplog::Slice& slice, const Buffer& value) {
  const auto offset = static_cast<std::size_t>(slice.offset);
  const auto bytes = static_cast<std::size_t>(slice.bytes);
  const bool inside = offset <= value.size() && bytes <= value.size() - offset;
  if (inside) return std::span{value}.subspan(offset, bytes);
  throw InternalError{fmt::format("a slice of {} bytes at {} of value {}, which has {} bytes", bytes, offset,
                                  oplog::to_string(slice.value), value.size())};
}

}  // namespace

Buffer gather(const oplog::Operand& what, const Lookup& lookup) {
  Buffer bytes;
  bytes.reserve(static_cast<std::size_t>(what.shape.bytes(what.dtype).count()));
  for (const oplog::Slice& slice : what.slices) {
    if (!slice.value.valid()) {
      bytes.resize(bytes.size() + static_cast<std::size_t>(slice.bytes), kUnwritten);
    } else {
      const auto found = slice_of(slice, *lookup(slice.value));
      bytes.insert(bytes.end(), found.begin(), found.end());
    }
  }
  return bytes;
}

Aligned view(const oplog::Operand& what, const Lookup& lookup) {
  const bool single = what.slices.size() == 1 && what.slices[0].value.valid();
  if (!single) return Aligned{gather(what, lookup)};
  return {slice_of(what.slices[0], *lookup(what.slices[0].value)), what.dtype};
}

Value whole(const oplog::Operand& what, const Lookup& lookup) {
  const bool single = what.slices.size() == 1 && what.slices[0].value.valid();
  if (!single) return nullptr;
  const oplog::Slice& slice = what.slices[0];
  const Value& value = lookup(slice.value);
  const bool all = slice.offset == 0 && slice.bytes == static_cast<std::int64_t>(value->size());
  return all ? value : nullptr;
}

}  // namespace kbsim::replay
