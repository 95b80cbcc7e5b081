#pragma once

#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/host/dtensor/dtensor.hpp"

#include "box_moves.hpp"

namespace kbsim::host::dtensor {

/// A collective, as its ranks call it and as the mesh counts it.
struct MoveKind {
  std::string_view call;
  std::string_view operation;
  Comm comm;
};

/// Bytes that this rank gives. In a scatter and a broadcast, the first rank of the line gives all.
[[nodiscard]] Bytes given_bytes(const Passage& passage, Comm comm, DType dtype);
/// An uninitialized local tensor; none for an empty shape.
[[nodiscard]] Task<std::optional<Tensor>> empty_local(DeviceMesh mesh, Shape shape, DType dtype,
                                                      topology::DPPolicy dp, std::source_location at);
/// Moves the boxes of all ranks of the line. UsageError unless each PE of a tensor has all of it.
[[nodiscard]] Task<> run_moves(Passage passage, MoveKind kind, std::vector<TensorMove> moves, Shape global,
                               DType dtype, std::optional<Reduction> op, std::string details,
                               std::source_location at);

/// The tensor with another placement on one axis; if `in_place`, its local tensor may be overwritten.
[[nodiscard]] Task<DTensor> changed(DTensor x, Change change, bool in_place, std::source_location at);

}  // namespace kbsim::host::dtensor
