#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kbsim/host/host_array.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/host/work.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/task.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::host {

/// Where a shard of a tensor lies.
struct Shard {
  topology::ShardSpec spec;
  topology::PhysAddr pa;
};

struct TensorOptions {
  topology::DPPolicy dp = {};
  std::string name = "tensor";
  bool shared = false;    // every PE of the package sees all of it; each element has one place, no replicas
  bool resident = false;  // made, filled and freed at no simulated time, as weights that were loaded before
};

/// A tensor on one package: one virtual range, a shard or replica on each PE that its DPPolicy names.
/// Writing and reading are messages through the fabric; so is unmapping, when the last handle goes. What
/// is called starts then, awaited or not. No handle may outlive the session.
class Tensor {
 public:
  using Here = std::source_location;
  using Done = Work<std::monostate>;
  class Update;
  struct State;  // the room's own

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const Shape& shape() const;
  [[nodiscard]] DType dtype() const;
  [[nodiscard]] int sip() const;
  [[nodiscard]] Ptr ptr() const;
  [[nodiscard]] const std::vector<Shard>& shards() const;

  /// Every shard and replica gets its part. UsageError unless shape and dtype are equal.
  [[nodiscard]] Done copy_(HostArray from, Here at = Here::current()) const;
  /// Gathers one replica of every element, as they are at this simulated time; of a tensor that is being
  /// written, when all who write it by now are done.
  [[nodiscard]] Work<HostArray> to_host(Here at = Here::current()) const;

 private:
  friend class Torch;
  explicit Tensor(std::shared_ptr<State> state) : state_{std::move(state)} {}
  std::shared_ptr<State> state_;
};

/// Says, while it lives, that its tensor is being written.
class Tensor::Update {
 public:
  explicit Update(const Tensor& tensor);
  Update(Update&& other) noexcept = default;
  Update& operator=(Update&&) = delete;
  ~Update();

 private:
  std::shared_ptr<State> state_;
  std::shared_ptr<Event> done_;
};

struct Upload;

/// What a rank calls `torch`: makes tensors on the rank's current device. Memory is taken at the call; the
/// tensor can be used once that is awaited.
class Torch {
 public:
  using Here = std::source_location;

  Torch(Session& session, std::shared_ptr<Works> works, int rank, const int& device)
      : session_{session}, works_{std::move(works)}, rank_{rank}, device_{device} {}

  [[nodiscard]] Work<Tensor> empty(Shape shape, DType dtype, TensorOptions options,
                                   Here at = Here::current());
  [[nodiscard]] Work<Tensor> full(Shape shape, double value, DType dtype, TensorOptions options,
                                  Here at = Here::current());
  [[nodiscard]] Work<Tensor> zeros(Shape shape, DType dtype, TensorOptions options,
                                   Here at = Here::current());
  [[nodiscard]] Work<Tensor> from_host(HostArray contents, TensorOptions options, Here at = Here::current());

 private:
  struct Making;
  [[nodiscard]] std::shared_ptr<Tensor::State> allocate(Shape shape, DType dtype, TensorOptions options);
  Work<Tensor> constant(Shape shape, double value, DType dtype, TensorOptions options, Making making);
  Work<Tensor> fill(const std::shared_ptr<Tensor::State>& state, const HostArray& contents, Making making);
  static Task<Tensor> mapped(Tensor tensor, Task<hw::Activity> order);
  static Task<Tensor> filled(Tensor tensor, Task<hw::Activity> order, std::vector<Upload> contents);

  Session& session_;
  std::shared_ptr<Works> works_;
  int rank_;
  const int& device_;
};

}  // namespace kbsim::host
