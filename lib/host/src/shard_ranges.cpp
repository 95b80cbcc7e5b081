// Transfers between the host and the shards of a tensor.
#include <algorithm>
#include <set>
#include <utility>

#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/locate.hpp"

#include "host_access.hpp"
#include "shard_contents.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

/// A write that isn't recorded yet. It is recorded at its end, or when its rank is cancelled: the memory is
/// written in either case.
class Record {
 public:
  Record(Session& session, oplog::Op op) : session_{&session}, op_{std::move(op)} {}
  Record(Record&& other) noexcept
      : session_{std::exchange(other.session_, nullptr)}, op_{std::move(other.op_)} {}
  Record& operator=(Record&&) = delete;
  ~Record() {
    if (session_ != nullptr && session_->open()) write();
  }
  void write() {
    op_.end = session_->sim().now();
    session_->log().record(std::move(op_));
    session_ = nullptr;
  }

 private:
  Session* session_;
  oplog::Op op_;
};

Task<> recorded(Record record, Task<> acknowledged) {
  co_await std::move(acknowledged);
  record.write();
}

// Pieces that adjoin in the shard are one message.
void add_ranges(std::vector<ShardRange>& all, const Shard& shard, const std::vector<Piece>& pieces) {
  std::int64_t next = -1;
  for (const Piece& piece : pieces) {
    if (piece.in_shard != next) all.push_back({.shard = shard, .pieces = {}});
    all.back().pieces.push_back(piece);
    next = piece.in_shard + piece.count;
  }
}

}  // namespace

std::int64_t ShardRange::count() const {
  if (pieces.empty()) return shard.spec.block.elements();
  const Piece& last = pieces.back();
  return last.in_shard + last.count - first();
}

Shape ShardRange::shape() const {
  if (pieces.empty()) return {shard.spec.block.rows, shard.spec.block.cols};
  return {count()};
}

topology::PhysAddr ShardRange::address(DType dtype) const {
  return shard.pa + Bytes{first() * itemsize(dtype)};
}

std::vector<ShardRange> shard_ranges(const Tensor::State& tensor, const View& view, bool all) {
  std::vector<ShardRange> result;
  std::set<std::int64_t> seen;
  for (const Shard& shard : tensor.shards) {
    if (!all && !seen.insert(shard.spec.offset_bytes).second) continue;
    if (view.whole()) {
      result.push_back({.shard = shard, .pieces = {}});
    } else {
      add_ranges(result, shard, view.pieces(shard.spec));
    }
  }
  return result;
}

std::vector<Upload> uploads(Tensor::State& tensor, const View& view, const HostArray& contents) {
  Session& session = tensor.session;
  std::vector<Upload> result;
  for (ShardRange& range : shard_ranges(tensor, view, true)) {
    oplog::Op op{.id = session.log().reserve(session.lane(tensor.rank)),
                 .kind = oplog::OpKind::literal,
                 .dtype = tensor.dtype,
                 .shape = range.shape(),
                 .unit = session.machine().graph().host()};
    if (session.has_values()) op.data = contents_of(contents, range, tensor.dtype);
    result.push_back({.range = std::move(range), .op = std::move(op)});
  }
  return result;
}

std::vector<Task<>> send(Tensor::State& tensor, std::vector<Upload> uploads,
                         const std::shared_ptr<const void>& held) {
  Session& session = tensor.session;
  std::vector<Task<>> sent;
  for (auto& [range, op] : uploads) {
    const oplog::Slice contents{op.id, 0, range.count() * itemsize(tensor.dtype)};
    const topology::PhysRange to{.pa = range.address(tensor.dtype), .bytes = Bytes{contents.bytes}};
    op.start = session.sim().now();
    Task<> acknowledged = write_memory(session.machine(), tensor.rank, to, contents, held);
    sent.push_back(recorded(Record{session, std::move(op)}, std::move(acknowledged)));
  }
  return sent;
}

oplog::Contents contents_of(const HostArray& view, const ShardRange& range, DType dtype) {
  if (range.pieces.empty()) return contents_of(view, range.shard.spec);
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(range.count() * size));
  for (const Piece& piece : range.pieces) {
    const auto from = view.bytes().begin() + piece.in_view * size;
    bytes.insert(bytes.end(), from, from + piece.count * size);
  }
  return {std::make_shared<const std::vector<std::byte>>(std::move(bytes))};
}

void put(const std::vector<std::byte>& bytes, const ShardRange& range, DType dtype,
         std::vector<std::byte>& view) {
  if (range.pieces.empty()) return gather(bytes, range.shard.spec, view);
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  auto from = bytes.begin();
  for (const Piece& piece : range.pieces) {
    std::copy_n(from, piece.count * size, view.begin() + piece.in_view * size);
    from += piece.count * size;
  }
}

std::shared_ptr<const Tensor::SlicePlace> place_of_slice(const Tensor::State& tensor, const View& view) {
  const auto size = static_cast<std::int64_t>(itemsize(tensor.dtype));
  auto place = std::make_shared<Tensor::SlicePlace>();
  for (const ShardRange& range : shard_ranges(tensor, view, true)) {
    for (const Piece& piece : range.pieces) {
      const topology::ShardSpec& shard = range.shard.spec;
      const std::int64_t base = shard.offset_bytes + (piece.in_shard - piece.in_view) * size;
      if (!place->shards.empty() && place->offset_bytes != base) return nullptr;
      place->offset_bytes = base;
      place->shards.push_back({.spec = {.at = shard.at,
                                        .offset_bytes = piece.in_view * size,
                                        .nbytes = Bytes{piece.count * size},
                                        .block = {.rows = 1, .col0 = piece.in_view, .cols = piece.count},
                                        .tensor_cols = view.shape().elements()},
                               .pa = range.shard.pa + Bytes{piece.in_shard * size}});
    }
  }
  return place;
}

}  // namespace kbsim::host
