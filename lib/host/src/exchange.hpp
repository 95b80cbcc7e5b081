#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/host/distributed.hpp"
#include "kbsim/host/process_group.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/tl/box_args.hpp"

namespace kbsim::host {

/// Rows of a tensor's elements, a stride apart.
struct Rows {
  std::int64_t first = 0;  // element
  std::int64_t rows = 1;
  std::int64_t cols = 0;
  std::int64_t stride = 0;

  [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
};

/// The whole shard on each PE that has one; or, if each PE has the whole tensor, a box of it.
struct TensorBox {
  Tensor tensor;
  std::optional<Rows> part = {};
};

/// A box that is sent to a rank of the world, received from it, or copied to another box.
struct TensorMove {
  BoxMove::Kind kind = BoxMove::Kind::send;
  int peer = 0;
  std::optional<TensorBox> from = {};
  std::optional<TensorBox> to = {};
};

/// Messages between all pairs of a group. Its ranks begin them as one collective.
struct Exchange {
  std::string_view call;  // a literal
  std::string operation;  // must match on all ranks, as the next three
  std::string shape;
  DType dtype = f16;
  std::string details = {};
  std::vector<TensorMove> moves = {};
  std::vector<P2pCall> paired = {};  // both sides of each must be alike
  std::optional<ReduceOp> op = {};   // received and copied boxes are combined
  Group group = {};
  std::source_location at;
};

/// Checks of messages between pairs. Errors use PyTorch's words where it has any.
struct PairCheck {
  std::string call;
  int rank;
  int device;
  Tensor::Here at;

  void require(bool holds, const std::string& why) const;
  void peer(int peer, bool sends, const ProcessGroup& group) const;
  void tensor(const Tensor& tensor, Bytes slot_size) const;
};

/// Queues without an algorithm. Their settings are those of an entry of that name in ccl.yaml, else the
/// defaults.
[[nodiscard]] config::AlgorithmSpec queues_named(const Session& session, const std::string& name,
                                                 const std::string& topology);

}  // namespace kbsim::host
