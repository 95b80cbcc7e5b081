#include "shard_contents.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kbsim::host {
namespace {

constexpr std::int64_t kFew = 65536;  // bytes

/// Rows of a shard, read out of the whole array.
class ShardRows : public oplog::IContents {
 public:
  ShardRows(HostArray array, const topology::ShardSpec& shard)
      : array_{std::move(array)},
        size_{shard.nbytes.count()},
        position_{shard.position_bytes()},
        row_{shard.block.cols * shard.element_bytes()},
        pitch_{shard.tensor_cols * itemsize(array_.dtype())} {}

  [[nodiscard]] std::int64_t size() const override { return size_; }
  void read(std::int64_t first, std::span<std::byte> to) const override {
    while (!to.empty()) {
      const std::int64_t in_row = first % row_;
      const std::size_t n = std::min(static_cast<std::size_t>(row_ - in_row), to.size());
      array_.read(position_ + first / row_ * pitch_ + in_row, to.first(n));
      to = to.subspan(n);
      first += static_cast<std::int64_t>(n);
    }
  }

 private:
  HostArray array_;
  std::int64_t size_;
  std::int64_t position_;  // of the first byte in the array
  std::int64_t row_;       // bytes
  std::int64_t pitch_;     // bytes from one row to the next
};

std::vector<std::byte> copied(const oplog::IContents& contents) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(contents.size()));
  contents.read(0, bytes);
  return bytes;
}

}  // namespace

oplog::Contents contents_of(const HostArray& array, const topology::ShardSpec& shard) {
  if (shard.nbytes == array.shape().bytes(array.dtype()) && array.kept()) return array.kept();
  std::shared_ptr<const oplog::IContents> rows = std::make_shared<const ShardRows>(array, shard);
  if (rows->size() > kFew) return {std::move(rows)};
  return {std::make_shared<const std::vector<std::byte>>(copied(*rows))};
}

}  // namespace kbsim::host
