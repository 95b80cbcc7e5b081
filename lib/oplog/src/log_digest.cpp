#include <algorithm>
#include <bit>
#include <vector>

#include "kbsim/base/digest.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::oplog {
namespace {

constexpr std::int64_t kAtOnce = 65536;  // bytes: they stay in a near cache

template <class Enum>
void add_enum(Digest& digest, Enum value) {
  digest.add(static_cast<std::uint8_t>(value));
}

void add(Digest& digest, const ValueId& id) { digest.add(id.lane).add(id.seq); }

void add(Digest& digest, const Shape& shape) {
  digest.add(shape.rank());
  for (const std::int64_t extent : shape.extents()) digest.add(extent);
}

void add(Digest& digest, const Operand& input) {
  digest.add(input.slices.size());
  for (const Slice& slice : input.slices) {
    add(digest, slice.value);
    digest.add(slice.offset).add(slice.bytes);
  }
  add(digest, input.shape);
  add_enum(digest, input.dtype);
}

void add(Digest& digest, const Parameters& params) {
  add_enum(digest, params.unary);
  add_enum(digest, params.binary);
  add_enum(digest, params.ternary);
  add_enum(digest, params.reduce);
  add_enum(digest, params.nan);
  add_enum(digest, params.round);
  digest.add(params.indices).add(params.axis);
  for (const std::int8_t axis : params.axes) digest.add(axis);
  digest.add(std::bit_cast<std::uint64_t>(params.scalar));
}

// Contents that aren't kept are read in parts.
void add(Digest& digest, const Contents& data) {
  if (const KeptBytes kept = data.kept()) {
    digest.add_bytes(*kept);
  } else {
    std::vector<std::byte> part(kAtOnce);
    for (std::int64_t first = 0; first < data.size(); first += kAtOnce) {
      part.resize(static_cast<std::size_t>(std::min(kAtOnce, data.size() - first)));
      data.read(first, part);
      digest.add_bytes(part);
    }
  }
  digest.add(data.size());
}

void add(Digest& digest, const Op& op) {
  add(digest, op.id);
  add_enum(digest, op.kind);
  add(digest, op.params);
  add_enum(digest, op.dtype);
  add(digest, op.shape);
  digest.add(op.unit.value()).add(op.start.count()).add(op.end.count());
  digest.add(op.inputs.size());
  for (const Operand& input : op.inputs) add(digest, input);
  digest.add(bool{op.data});
  if (op.data) add(digest, op.data);
}

void add(Digest& digest, const NamedRange& range) {
  digest.add(std::string_view{range.name}).add(range.begin.count()).add(range.end.count());
}

}  // namespace

Digest OpLog::digest() const {
  Digest digest;
  if (!keeps_operations()) {
    std::uint64_t times = 0;
    for (const Sums& sums : sums_) times += sums.times;
    digest.add(size()).add(times);
  }
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    digest.add(std::string_view{lane.name}).add(ops(i).size());
    for (const Op& op : ops(i)) add(digest, op);
    digest.add(lane.ranges.size());
    for (const NamedRange& range : lane.ranges) add(digest, range);
  }
  return digest;
}

}  // namespace kbsim::oplog
