#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/host/tensor.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/event.hpp"

namespace kbsim::host {

/// The end of the writing of a tensor, and what whoever wrote it knew then.
struct Written : Event {
  using Event::Event;
  oplog::KnowledgePtr known;
};
using Events = std::vector<std::shared_ptr<Written>>;
[[nodiscard]] bool all_set(const Events& events);
/// What is known of those that are set: whatever comes after them knows it.
[[nodiscard]] std::vector<oplog::KnowledgePtr> known_of(const Events& events);
/// Waits for all of them.
[[nodiscard]] Task<> wait_for(Session& session, Events events);

/// Somebody who writes elements of a tensor.
struct Writer {
  std::shared_ptr<Written> done;
  Stretch elements;
  Tensor::Update::By by;
};

/// A tensor's place in its package's memories, given back with the last handle; and who writes it.
struct Tensor::State {
  Session& session;
  std::shared_ptr<Works> works;
  int rank;
  int sip;
  std::string name;
  Shape shape;
  DType dtype;
  topology::DPPolicy dp = {};
  PeCoord origin = {};  // the cube and PE where the placement begins
  topology::Region mem_kind = topology::Region::hbm;
  bool shared = false;
  bool resident = false;
  std::vector<Writer> writers = {};
  std::vector<Writer> ended = {};  // while somebody looks for races; one of a kind and of the same elements
  std::optional<std::uint64_t> va = {};
  std::vector<Shard> shards = {};
  bool mapped = false;  // or about to be

  /// When all who write it by now are done; or those of some kinds who write elements of the view. Those who
  /// are done already are among them, while somebody looks for races.
  [[nodiscard]] Events written() const;
  [[nodiscard]] Events written(const View& view, std::initializer_list<Update::By> by) const;

  /// This writer is done.
  void end(const std::shared_ptr<Written>& done);

  /// Its parts, as the placement has them. UsageError for one that leaves the machine.
  [[nodiscard]] std::vector<topology::ShardSpec> placed() const;
  /// Takes memory and addresses. AllocationError with the line, the call and the tensor, and
  /// resolve_dp_policy()'s errors.
  void allocate(std::string_view call, Here at);
  /// A step of it; of so many virtual bytes.
  [[nodiscard]] Bytes take_memory(const std::vector<topology::ShardSpec>& specs);
  void tell_name(Bytes range, Here at) const;
  /// Makes the MMUs translate: by an order, sent now.
  [[nodiscard]] Task<hw::Activity> map();
  /// The same, done at once.
  void map_resident();
  ~State();

  template <class T>
  Work<T> start(std::string_view call, Task<T> task, Here at) {
    return works->start(session.next_work(call, rank), std::move(task), at);
  }
  template <class T>
  Work<T> done(std::string_view call, T result, Here at) {
    return works->done(session.next_work(call, rank), std::move(result), at);
  }
};

/// Where a slice lies: in the virtual range, and on which PEs.
struct Tensor::Part {
  std::int64_t offset_bytes = 0;
  std::vector<Shard> shards = {};
};

/// Consecutive elements of a shard that are sent or read by one message, and where they are in a view.
struct ShardRange {
  Shard shard;
  std::vector<Piece> pieces;  // none: all of the shard, of all of the tensor

  [[nodiscard]] std::int64_t first() const { return pieces.empty() ? 0 : pieces.front().in_shard; }
  [[nodiscard]] std::int64_t count() const;
  /// In op logs: as the shard's block, or as a row.
  [[nodiscard]] Shape shape() const;
  [[nodiscard]] topology::PhysAddr address(DType dtype) const;
};

/// What moves a view's elements: to all replicas, or from one of each.
[[nodiscard]] std::vector<ShardRange> shard_ranges(const Tensor::State& tensor, const View& view, bool all);

/// A range's contents, with an id in the op log.
struct Upload {
  ShardRange range;
  oplog::Op op;
};

/// `contents` is as large as the view.
[[nodiscard]] std::vector<Upload> uploads(Tensor::State& tensor, const View& view, const HostArray& contents);
/// Each is a message, sent now; done when the memories have acknowledged. The tensor is `held` until then, or
/// who says that it is written, though its rank may be cancelled.
[[nodiscard]] std::vector<Task<>> send(Tensor::State& tensor, std::vector<Upload> uploads,
                                       const std::shared_ptr<const void>& held);

/// The bytes of a range, out of those of the view; and back.
[[nodiscard]] oplog::Contents contents_of(const HostArray& view, const ShardRange& range, DType dtype);
void put(const std::vector<std::byte>& bytes, const ShardRange& range, DType dtype,
         std::vector<std::byte>& view);

/// Where a slice lies; none if its elements don't follow each other in the virtual range.
[[nodiscard]] std::shared_ptr<const Tensor::Part> part_of(const Tensor::State& tensor, const View& view);

}  // namespace kbsim::host
