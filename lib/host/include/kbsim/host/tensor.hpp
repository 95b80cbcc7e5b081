#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kbsim/host/host_array.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/host/view.hpp"
#include "kbsim/host/work.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/task.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/tensor_ref.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::host {

/// The place of a shard of a tensor.
struct Shard {
  topology::ShardSpec spec;
  topology::PhysAddr pa;
};

struct TensorOptions {
  topology::DPPolicy dp = {};
  std::string name = "tensor";
  bool shared = false;  // every PE of the package sees all of it; each element has one place, no replicas
  topology::Region mem_kind = topology::Region::hbm;  // HBM of each PE; or its tcm, or the cube's sram
  bool resident = false;  // made, filled and freed at no simulated time, as weights that were loaded before
};

/// The target of a copy of a tensor; an empty field means no change. With `cube` or `target_pe` the placement
/// begins there; without `placement` it is that PE alone.
struct ToOptions {
  std::optional<topology::DPPolicy> placement = {};
  std::optional<int> sip = {};
  std::optional<int> cube = {};
  std::optional<int> target_pe = {};
  std::optional<topology::Region> mem_kind = {};
};

struct Upload;
struct Written;

/// A tensor on one package: one virtual range, a shard or replica on each PE that its DPPolicy names. Writes
/// and reads are messages through the fabric, and so is unmapping when the last handle is destroyed. Calls
/// start at once, awaited or not. Slices and reshapes are handles of the same memory. No handle may outlive
/// the session.
class Tensor {
 public:
  using Here = std::source_location;
  using Done = Work<std::monostate>;
  class Update;
  struct State;  // internal, as the next
  struct SlicePlace;

  // Not inline: host programs are coroutines that destroy many handles on many exits. UsageError for a copy
  // of a handle that was moved from, as for any other use of it.
  Tensor(const Tensor& other, Here at = Here::current());
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other);
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();

  [[nodiscard]] const std::string& name(Here at = Here::current()) const;
  [[nodiscard]] const Shape& shape(Here at = Here::current()) const;
  [[nodiscard]] DType dtype(Here at = Here::current()) const;
  [[nodiscard]] int sip(Here at = Here::current()) const;
  /// UsageError for a slice whose elements don't follow each other in the virtual range.
  [[nodiscard]] Ptr ptr(Here at = Here::current()) const;
  /// The tensor as an argument of a kernel, for tl.make_desc({.tensor = ...}). UsageError as ptr().
  [[nodiscard]] TensorRef desc(Here at = Here::current()) const {
    return {.base = ptr(at), .shape = shape(at)};
  }
  /// The shards. For a slice, the parts of shards in it, each as a row of its own. UsageError as ptr().
  [[nodiscard]] const std::vector<Shard>& shards(Here at = Here::current()) const;

  /// The part at an index of the first axis; a negative one counts from the end.
  [[nodiscard]] Tensor operator[](const IndexOperand& index) const;
  [[nodiscard]] Tensor operator[](const RangeOperand& of) const { return slice(0, of.range, of.at); }
  [[nodiscard]] Tensor slice(int axis, IndexRange range, Here at = Here::current()) const;
  /// The same elements in the same order. UsageError for a slice that isn't contiguous: that is a copy.
  [[nodiscard]] Tensor view(Shape shape, Here at = Here::current()) const;
  [[nodiscard]] Tensor reshape(Shape shape, Here at = Here::current()) const { return view(shape, at); }

  /// Writes every shard and replica, after the current writers of its elements. UsageError unless shape and
  /// dtype are equal.
  [[nodiscard]] Done copy_(HostArray from, Here at = Here::current()) const;
  /// The same from another tensor, which may be in another package, without the host: DMAs of the PEs that
  /// have `from` write it, after the current writers of both. Launches and collectives with either tensor
  /// follow. UsageError if elements are in both, except for a copy to itself.
  [[nodiscard]] Done copy_(const Tensor& from, Here at = Here::current()) const;
  /// Gathers one replica of every element, with the values at this simulated time. If the tensor is being
  /// written, waits for its current writers first.
  [[nodiscard]] Work<HostArray> to_host(Here at = Here::current()) const;
  /// Another name of to_host().
  [[nodiscard]] Work<HostArray> data(Here at = Here::current()) const { return to_host(at); }
  /// A copy with another placement or on another device, made as by copy_. Allocates memory at the call.
  [[nodiscard]] Work<Tensor> to(const ToOptions& where, Here at = Here::current()) const;
  [[nodiscard]] Work<Tensor> to(const topology::DPPolicy& placement, Here at = Here::current()) const;
  [[nodiscard]] Work<Tensor> to(int device, Here at = Here::current()) const;
  /// "tensor(name=x, shape=[4, 8], dtype=f16, mean=1.5, norm=8.485)", by a read; without numbers in runs
  /// that have none.
  [[nodiscard]] Work<std::string> text(Here at = Here::current()) const;

  /// Internal.
  explicit Tensor(std::shared_ptr<State> state);
  [[nodiscard]] const std::shared_ptr<State>& state() const { return state_; }
  [[nodiscard]] const View& elements() const { return view_; }

 private:
  friend class Torch;
  Tensor(std::shared_ptr<State> state, const View& view);
  [[nodiscard]] State& alive(const Here& at) const;
  [[nodiscard]] const SlicePlace& place(const Here& at) const;
  [[nodiscard]] Task<HostArray> read() const;
  [[nodiscard]] std::vector<Upload> uploads(const HostArray& contents) const;
  static Task<std::monostate> copied(Task<> copy);
  static Task<Tensor> moved(Tensor to, Task<hw::Activity> mapped, Task<> copy);

  std::shared_ptr<State> state_;
  View view_;
  std::shared_ptr<const SlicePlace> place_ = {};  // of a slice; null if it has no address of its own
};

/// While it lives, elements of its tensor count as being written: by a kernel (its rank's later launches run
/// after it anyway), by the host, or by a DMA that the host has ordered beside both; or as being copied from,
/// which reads don't wait for.
class Tensor::Update {
 public:
  enum class By { kernel, host, dma, source };
  explicit Update(const Tensor& tensor, By by = By::kernel);
  Update(Update&& other) noexcept = default;
  Update& operator=(Update&&) = delete;
  ~Update();

 private:
  std::shared_ptr<State> state_;
  std::shared_ptr<Written> done_;
};

/// A rank's `torch`: makes tensors on the rank's current device. Memory is allocated at the call; the tensor
/// can be used once the call is awaited.
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
  [[nodiscard]] Work<Tensor> ones(Shape shape, DType dtype, TensorOptions options, Here at = Here::current());
  [[nodiscard]] Work<Tensor> from_host(HostArray contents, TensorOptions options, Here at = Here::current());
  /// Uniform in [0, 1); the same for the same seed.
  [[nodiscard]] Work<Tensor> rand(Shape shape, DType dtype, std::uint64_t seed, TensorOptions options,
                                  Here at = Here::current());
  /// 0, 1, … up to `end`, exclusive.
  [[nodiscard]] Work<Tensor> arange(std::int64_t end, DType dtype, TensorOptions options,
                                    Here at = Here::current());

 private:
  struct Making;
  [[nodiscard]] std::shared_ptr<Tensor::State> allocate(Shape shape, DType dtype, TensorOptions options,
                                                        Making making);
  Work<Tensor> generated(Shape shape, DType dtype, const std::function<double(std::int64_t)>& element,
                         TensorOptions options, Making making);
  Work<Tensor> fill(const std::shared_ptr<Tensor::State>& state, const HostArray& contents, Making making);
  static Task<Tensor> mapped(Tensor tensor, Task<hw::Activity> order);
  static Task<Tensor> filled(Tensor tensor, Task<hw::Activity> order, std::vector<Upload> contents);

  Session& session_;
  std::shared_ptr<Works> works_;
  int rank_;
  const int& device_;
};

}  // namespace kbsim::host
