#include <cstring>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::topology {
namespace {

void check_room(std::string_view what, std::size_t bytes, std::int64_t least) {
  if (static_cast<std::int64_t>(bytes) < least) {
    throw UsageError{fmt::format("placement: {} of {} bytes, expected at least {}", what, bytes, least)};
  }
}

/// Calls copy(offset in the tensor, offset in the shard, bytes) for each row of the shard's block.
template <class Copy>
void for_each_row(const ShardSpec& shard, std::size_t tensor_bytes, std::size_t shard_bytes, Copy copy) {
  const Block& b = shard.block;
  if (b.elements() == 0) return;
  const std::int64_t itemsize = shard.element_bytes();
  const auto in_tensor = [&](std::int64_t r) {
    return ((b.row0 + r) * shard.tensor_cols + b.col0) * itemsize;
  };
  const std::int64_t row = b.cols * itemsize;
  check_room("a tensor", tensor_bytes, in_tensor(b.rows - 1) + row);
  check_room("a shard", shard_bytes, shard.nbytes.count());
  for (std::int64_t r = 0; r < b.rows; ++r) copy(in_tensor(r), r * row, static_cast<std::size_t>(row));
}

}  // namespace

std::vector<std::byte> scatter(std::span<const std::byte> tensor, const ShardSpec& shard) {
  std::vector<std::byte> bytes;
  const auto size = static_cast<std::size_t>(shard.nbytes.count());
  bytes.reserve(size);
  for_each_row(shard, tensor.size(), size, [&](std::int64_t from, std::int64_t, std::size_t n) {
    const auto* const row = tensor.data() + from;
    bytes.insert(bytes.end(), row, row + n);
  });
  return bytes;
}

void gather(std::span<const std::byte> bytes, const ShardSpec& shard, std::span<std::byte> tensor) {
  for_each_row(shard, tensor.size(), bytes.size(), [&](std::int64_t to, std::int64_t from, std::size_t n) {
    std::memcpy(tensor.data() + to, bytes.data() + from, n);
  });
}

}  // namespace kbsim::topology
