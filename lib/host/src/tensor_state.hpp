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

/// The end of a write to a tensor, with the writer's vector clock at that time.
struct Written : Event {
  using Event::Event;
  oplog::KnowledgePtr known;
};
using Events = std::vector<std::shared_ptr<Written>>;
[[nodiscard]] bool all_set(const Events& events);
/// The vector clocks of the events that are set. Operations after the events know these.
[[nodiscard]] std::vector<oplog::KnowledgePtr> known_of(const Events& events);
/// Waits for all of them.
[[nodiscard]] Task<> wait_for(Session& session, Events events);

/// A writer of elements of a tensor.
struct Writer {
  std::shared_ptr<Written> done;
  Stretch elements;
  Tensor::Update::By by;
};

/// A tensor's place in its package's memories, freed with the last handle; and its writers.
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
  std::vector<Writer> ended = {};  // if races are checked; one per kind and range of elements
  std::optional<std::uint64_t> va = {};
  std::vector<Shard> shards = {};
  bool mapped = false;  // or being mapped

  /// The ends of all current writers; or of the writers of some kinds that write elements of the view. While
  /// races are checked, writers that are done already are included.
  [[nodiscard]] Events written() const;
  [[nodiscard]] Events written(const View& view, std::initializer_list<Update::By> by) const;

  /// This writer is done.
  void end(const std::shared_ptr<Written>& done);

  /// The parts of the placement. UsageError for a part outside of the machine.
  [[nodiscard]] std::vector<topology::ShardSpec> placed() const;
  /// Allocates memory and addresses. AllocationError with the line, the call and the tensor, and
  /// resolve_dp_policy()'s errors.
  void allocate(std::string_view call, Here at);
  /// A step of allocate(). Gives the number of virtual bytes.
  [[nodiscard]] Bytes take_memory(const std::vector<topology::ShardSpec>& specs);
  void name_range(Bytes range, Here at) const;
  /// Maps the tensor in the MMUs, by an order sent now.
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

/// The place of a slice: in the virtual range, and on PEs.
struct Tensor::SlicePlace {
  std::int64_t offset_bytes = 0;
  std::vector<Shard> shards = {};
};

/// Consecutive elements of a shard that one message writes or reads, and their positions in a view.
struct ShardRange {
  Shard shard;
  std::vector<Piece> pieces;  // none: all of the shard, of all of the tensor

  [[nodiscard]] std::int64_t first() const { return pieces.empty() ? 0 : pieces.front().in_shard; }
  [[nodiscard]] std::int64_t count() const;
  /// Shape in op logs: the shard's block, or a row.
  [[nodiscard]] Shape shape() const;
  [[nodiscard]] topology::PhysAddr address(DType dtype) const;
};

/// The ranges that move a view's elements: to all replicas, or from one replica of each element.
[[nodiscard]] std::vector<ShardRange> shard_ranges(const Tensor::State& tensor, const View& view, bool all);

/// A range's contents, with an id in the op log.
struct Upload {
  ShardRange range;
  oplog::Op op;
};

/// `contents` is as large as the view.
[[nodiscard]] std::vector<Upload> uploads(Tensor::State& tensor, const View& view, const HostArray& contents);
/// Sends each as a message now; done when the memories have acknowledged. `held` lives until then, even if
/// the rank is cancelled: the tensor, or the Update that marks it as written.
[[nodiscard]] std::vector<Task<>> send(Tensor::State& tensor, std::vector<Upload> uploads,
                                       const std::shared_ptr<const void>& held);

/// Copies the bytes of a range out of the view's bytes; put() copies them back.
[[nodiscard]] oplog::Contents contents_of(const HostArray& view, const ShardRange& range, DType dtype);
void put(const std::vector<std::byte>& bytes, const ShardRange& range, DType dtype,
         std::vector<std::byte>& view);

/// The place of a slice; null if its elements don't follow each other in the virtual range.
[[nodiscard]] std::shared_ptr<const Tensor::SlicePlace> place_of_slice(const Tensor::State& tensor,
                                                                       const View& view);

}  // namespace kbsim::host
