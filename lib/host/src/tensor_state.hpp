#pragma once

#include <cstdint>
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

/// A tensor's place in its package's memories, given back with the last handle; and who writes it.
struct Tensor::State {
  Session& session;
  std::shared_ptr<Works> works;
  int rank;
  int sip;
  std::string name;
  Shape shape;
  DType dtype;
  bool shared = false;
  bool resident = false;
  std::vector<std::shared_ptr<Event>> writers = {};  // each is set when it is done
  std::optional<std::uint64_t> va = {};
  std::vector<Shard> shards = {};
  bool mapped = false;  // or about to be

  /// Takes memory and addresses. AllocationError, and resolve_dp_policy()'s errors.
  void allocate(const topology::DPPolicy& dp);
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

/// A shard's contents, with an id in the op log.
struct Upload {
  Shard shard;
  oplog::Op op;
};

[[nodiscard]] std::vector<Upload> uploads(Tensor::State& tensor, const HostArray& contents);
/// Each is a message, sent now; done when the memories have acknowledged.
[[nodiscard]] std::vector<Task<>> send(Tensor::State& tensor, std::vector<Upload> uploads);

}  // namespace kbsim::host
