#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kbsim/host/host_array.hpp"
#include "kbsim/host/session.hpp"
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
/// Writing and reading are messages through the fabric; so is unmapping, when the last handle goes. No
/// handle may outlive the session.
class Tensor {
 public:
  class Update;

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const Shape& shape() const;
  [[nodiscard]] DType dtype() const;
  [[nodiscard]] int sip() const;
  [[nodiscard]] Ptr ptr() const;
  [[nodiscard]] const std::vector<Shard>& shards() const;

  /// Every shard and replica gets its part. UsageError unless shape and dtype are equal.
  [[nodiscard]] Task<> copy_(HostArray from) const;
  /// Gathers one replica of every element, as they are at this simulated time or, while the tensor is being
  /// written, as soon as that is done.
  [[nodiscard]] Task<HostArray> to_host() const;

 private:
  friend class Torch;
  struct State;
  static Task<> write(std::shared_ptr<State> tensor, HostArray from, Update update);
  static Task<HostArray> read(std::shared_ptr<State> tensor);
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
};

/// What a rank calls `torch`: makes tensors on the rank's current device.
class Torch {
 public:
  Torch(Session& session, int rank, const int& device) : session_{session}, rank_{rank}, device_{device} {}

  [[nodiscard]] Task<Tensor> empty(Shape shape, DType dtype, TensorOptions options);
  [[nodiscard]] Task<Tensor> full(Shape shape, double value, DType dtype, TensorOptions options);
  [[nodiscard]] Task<Tensor> zeros(Shape shape, DType dtype, TensorOptions options);
  [[nodiscard]] Task<Tensor> from_host(HostArray contents, TensorOptions options);

 private:
  Task<> fill(Tensor tensor, HostArray contents);

  Session& session_;
  int rank_;
  const int& device_;
};

}  // namespace kbsim::host
