#pragma once

#include <cstdint>
#include <optional>
#include <source_location>

#include "kbsim/host/parallel_state.hpp"
#include "kbsim/host/tensor_operators.hpp"

namespace kbsim::host {

/// Megatron's mappings between whole tensors and parts of tensors on each rank of the tensor-parallel group;
/// forward only. All ranks of the group call them in the same order. Parts divide the last axis. UsageError
/// naming both numbers if its size can't be divided. Here and in the layers, errors inside name the caller's
/// line.
[[nodiscard]] Tensor copy_to_tp_region(const ParallelState& state, Tensor x,
                                       std::source_location at = std::source_location::current());
/// In place: the sum of all ranks' tensors.
[[nodiscard]] Task<Tensor> reduce_from_tp_region(ParallelState state, Tensor x,
                                                 std::source_location at = std::source_location::current());
/// This rank's part.
[[nodiscard]] Task<Tensor> scatter_to_tp_region(ParallelState state, Tensor x,
                                                std::source_location at = std::source_location::current());
/// All ranks' parts, one after the other.
[[nodiscard]] Task<Tensor> gather_from_tp_region(ParallelState state, Tensor x,
                                                 std::source_location at = std::source_location::current());

/// The same for sequence parallelism: parts divide the first axis.
[[nodiscard]] Task<Tensor> gather_from_sequence_region(
    ParallelState state, Tensor x, std::source_location at = std::source_location::current());
/// This rank's part of the sum.
[[nodiscard]] Task<Tensor> reduce_scatter_to_sequence_region(
    ParallelState state, Tensor x, std::source_location at = std::source_location::current());

/// Contents of the whole layer; each rank takes its part. None: zeros.
struct LinearContents {
  std::optional<HostArray> weight = {};  // [in_features, out_features]
  std::optional<HostArray> bias = {};    // [out_features]
};

struct ParallelLinearOptions {
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
  bool bias = true;
  bool gather_output = false;      // for ColumnParallelLinear: all columns on each rank
  bool input_is_parallel = true;   // for RowParallelLinear: x is this rank's part already
  bool sequence_parallel = false;  // rows of x (column) or of the result (row) are divided among the ranks
  DType dtype = f16;
  /// Placement of the weights; x is on the same PEs, replicated or by rows.
  topology::DPPolicy placement = {.num_cubes = 1, .num_pes = 1};
  bool resident = false;
  LinearContents contents = {};
};

/// State of the layers below on a rank.
class ParallelLinear {
 public:
  using Here = std::source_location;

  [[nodiscard]] const Tensor& weight() const { return weight_; }
  [[nodiscard]] const std::optional<Tensor>& bias() const { return bias_; }

 protected:
  ParallelLinear(ParallelState state, ParallelLinearOptions options, Tensor weight,
                 std::optional<Tensor> bias);
  ParallelState state_;
  ParallelLinearOptions options_;
  Tensor weight_;
  std::optional<Tensor> bias_;
};

/// y = x W + b. Each rank of the group has [in_features, out_features / ranks] of W and the same part of b,
/// and gives the same part of y.
class ColumnParallelLinear : public ParallelLinear {
 public:
  /// UsageError naming both numbers if out_features can't be divided.
  [[nodiscard]] static Task<ColumnParallelLinear> make(ParallelState state, ParallelLinearOptions options,
                                                       Here at = Here::current());
  [[nodiscard]] Task<Tensor> forward(Tensor x, Here at = Here::current()) const;

 private:
  using ParallelLinear::ParallelLinear;
};

/// y = x W + b. Each rank has [in_features / ranks, out_features] of W, all of b, and the matching part of x.
/// The bias is added once, to the sum of all ranks' products.
class RowParallelLinear : public ParallelLinear {
 public:
  /// UsageError naming both numbers if in_features can't be divided.
  [[nodiscard]] static Task<RowParallelLinear> make(ParallelState state, ParallelLinearOptions options,
                                                    Here at = Here::current());
  [[nodiscard]] Task<Tensor> forward(Tensor x, Here at = Here::current()) const;

 private:
  using ParallelLinear::ParallelLinear;
};

struct VocabParallelEmbeddingOptions {
  std::int64_t num_embeddings = 0;
  std::int64_t embedding_dim = 0;
  DType dtype = f16;
  topology::DPPolicy placement = {.num_cubes = 1, .num_pes = 1};
  bool resident = false;
  std::optional<HostArray> weight = {};  // [num_embeddings, embedding_dim]
};

/// A table whose rows are divided among the ranks of the group.
class VocabParallelEmbedding {
 public:
  using Here = std::source_location;

  /// UsageError naming both numbers if num_embeddings can't be divided.
  [[nodiscard]] static Task<VocabParallelEmbedding> make(ParallelState state,
                                                         VocabParallelEmbeddingOptions options,
                                                         Here at = Here::current());
  /// The rows that indices (i32, on the same PEs) name, on each rank.
  [[nodiscard]] Task<Tensor> forward(Tensor indices, Here at = Here::current()) const;
  [[nodiscard]] const Tensor& weight() const { return weight_; }

 private:
  VocabParallelEmbedding(ParallelState state, VocabParallelEmbeddingOptions options, Tensor weight);
  ParallelState state_;
  VocabParallelEmbeddingOptions options_;
  Tensor weight_;
};

}  // namespace kbsim::host
