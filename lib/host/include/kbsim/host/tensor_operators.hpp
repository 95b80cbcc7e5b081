#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <utility>
#include <variant>
#include <vector>

#include "kbsim/host/tensor.hpp"
#include "kbsim/host/work.hpp"

namespace kbsim::host {

/// A tensor that an operator computes: `co_await` gives it, and other operators take it without co_await.
class [[nodiscard("co_await it, keep it, or give it to another operator")]] PendingTensor
    : public Work<Tensor> {
 public:
  PendingTensor(const Work<Tensor>& work, Tensor tensor) : Work{work}, tensor_{std::move(tensor)} {}
  /// The result. Its memory is allocated; a read of it waits for the operator.
  [[nodiscard]] const Tensor& tensor() const { return tensor_; }

 private:
  Tensor tensor_;
};

/// A tensor that an operator reads, with its source location: operators can't take default arguments.
class TensorOperand {
 public:
  using Here = std::source_location;
  TensorOperand(Tensor of, Here where = Here::current())  // NOLINT(google-explicit-constructor)
      : at{where}, tensor_{std::move(of)} {}
  TensorOperand(const PendingTensor& of, Here where = Here::current())  // NOLINT(google-explicit-constructor)
      : at{where}, tensor_{of.tensor()}, work_{of} {}

  [[nodiscard]] const Tensor& tensor() const { return tensor_; }
  [[nodiscard]] const std::optional<Work<Tensor>>& work() const { return work_; }
  Here at;

 private:
  Tensor tensor_;
  std::optional<Work<Tensor>> work_ = {};
};

/// Tensors that an operator joins: {x, y}, or a vector.
class TensorList {
 public:
  TensorList(std::initializer_list<TensorOperand> all) : all_{all} {}
  template <std::same_as<std::vector<TensorOperand>> Operands>
  TensorList(Operands all) : all_{std::move(all)} {}  // NOLINT(google-explicit-constructor)
  template <std::same_as<std::vector<Tensor>> Tensors>
  TensorList(const Tensors& all) : all_{all.begin(), all.end()} {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] std::vector<TensorOperand> take() { return std::move(all_); }

 private:
  std::vector<TensorOperand> all_;
};

/// A number beside a tensor.
struct Scalar {
  double value = 0.0;
  bool integer = false;
};

/// A tensor or a number.
class Operand {
 public:
  using Here = std::source_location;
  Operand(Tensor of, Here where = Here::current())  // NOLINT(google-explicit-constructor)
      : at{where}, value_{TensorOperand{std::move(of), where}} {}
  Operand(const PendingTensor& of, Here where = Here::current())  // NOLINT(google-explicit-constructor)
      : at{where}, value_{TensorOperand{of, where}} {}
  Operand(TensorOperand of)  // NOLINT(google-explicit-constructor)
      : at{of.at}, value_{std::move(of)} {}
  template <class T>
    requires std::integral<T> || std::floating_point<T>
  Operand(T number, Here where = Here::current())  // NOLINT(google-explicit-constructor)
      : at{where}, value_{Scalar{static_cast<double>(number), std::integral<T>}} {}

  [[nodiscard]] const TensorOperand* tensor() const { return std::get_if<TensorOperand>(&value_); }
  [[nodiscard]] const Scalar& scalar() const { return std::get<Scalar>(value_); }
  Here at;

 private:
  std::variant<TensorOperand, Scalar> value_;
};

/// Where the result goes: a tensor of that shape, dtype and a fitting placement; none: a new one.
struct OperatorOptions {
  std::optional<Tensor> out = {};
};

/// Operators launch kernels on the PEs of their tensors at the call. Kernels start after all earlier writers
/// of these tensors. Each PE computes its part of the result from parts on it. A new result is placed as an
/// operand, in the memory of the first. UsageError with both placements and a remedy if parts lie elsewhere.
///
/// Element by element: shapes are equal, or one is a row, [N] or [1, N], for all rows of the other. dtypes
/// promote as in PyTorch; computed in f32 (f64 for f64) and rounded once.
[[nodiscard]] PendingTensor operator+(const Operand& a, const Operand& b);
[[nodiscard]] PendingTensor operator-(const Operand& a, const Operand& b);
[[nodiscard]] PendingTensor operator*(const Operand& a, const Operand& b);
[[nodiscard]] PendingTensor operator/(const Operand& a, const Operand& b);
[[nodiscard]] PendingTensor operator-(const TensorOperand& x);
[[nodiscard]] PendingTensor add(const Operand& a, const Operand& b, OperatorOptions options = {});
[[nodiscard]] PendingTensor sub(const Operand& a, const Operand& b, OperatorOptions options = {});
[[nodiscard]] PendingTensor mul(const Operand& a, const Operand& b, OperatorOptions options = {});
[[nodiscard]] PendingTensor div(const Operand& a, const Operand& b, OperatorOptions options = {});
[[nodiscard]] PendingTensor maximum(const Operand& a, const Operand& b, OperatorOptions options = {});
[[nodiscard]] PendingTensor minimum(const Operand& a, const Operand& b, OperatorOptions options = {});

enum class Approximate { none, tanh };
[[nodiscard]] PendingTensor relu(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor silu(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor gelu(const TensorOperand& x, Approximate how = Approximate::none,
                                 OperatorOptions options = {});
[[nodiscard]] PendingTensor neg(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor abs(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor exp(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor log(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor sqrt(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor rsqrt(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor sin(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor cos(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor tanh(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor sigmoid(const TensorOperand& x, OperatorOptions options = {});
/// The same numbers in another dtype.
[[nodiscard]] PendingTensor cast(const TensorOperand& x, DType dtype, OperatorOptions options = {});

/// x where the condition (bool) is true, else y. Shapes are equal, or rows for all rows of the largest; x
/// and y may be numbers. dtypes of x and y promote as for two operands; two floating numbers give f32.
[[nodiscard]] PendingTensor where(const TensorOperand& condition, const Operand& x, const Operand& y,
                                  OperatorOptions options = {});

/// Joined along a dimension, or each as an index of a new dimension: of one device and dtype, with equal
/// other extents. Elements are copied as by Tensor::copy_, so parts may lie on any PEs. The result is placed
/// as the first one.
[[nodiscard]] PendingTensor cat(TensorList tensors, int dim = 0, OperatorOptions options = {},
                                std::source_location at = std::source_location::current());
[[nodiscard]] PendingTensor stack(TensorList tensors, int dim = 0, OperatorOptions options = {},
                                  std::source_location at = std::source_location::current());

/// `dim` none: over all elements, which gives a scalar. `keepdim`: reduced extents stay, as 1.
struct ReductionOptions {
  std::optional<int> dim = {};
  bool keepdim = false;
  std::optional<Tensor> out = {};
};
/// Over one dimension or all, accumulated in f32 (f64 for f64) and rounded once. sum of integers and bools
/// gives i64. mean and norm take floating tensors; norm is the square root of the sum of squares. amax and
/// amin propagate NaN. A PE needs whole rows for the last dimension, whole columns of a matrix for its first
/// one, and all of x for any other.
[[nodiscard]] PendingTensor sum(const TensorOperand& x, ReductionOptions options = {});
[[nodiscard]] PendingTensor mean(const TensorOperand& x, ReductionOptions options = {});
[[nodiscard]] PendingTensor norm(const TensorOperand& x, ReductionOptions options = {});
[[nodiscard]] PendingTensor amax(const TensorOperand& x, ReductionOptions options = {});
[[nodiscard]] PendingTensor amin(const TensorOperand& x, ReductionOptions options = {});
/// torch.max(x) and torch.min(x): of all elements.
[[nodiscard]] inline PendingTensor max(const TensorOperand& x) { return amax(x); }
[[nodiscard]] inline PendingTensor min(const TensorOperand& x) { return amin(x); }

/// [.., K] times [K, N] of one floating dtype, accumulated in f32 (f64 for f64), plus a row of N biases. A PE
/// has whole rows of x and whole columns of w: x is row-wise or replicated, w column-wise or replicated. The
/// result is split as both.
[[nodiscard]] PendingTensor matmul(const TensorOperand& x, const TensorOperand& w,
                                   OperatorOptions options = {});
[[nodiscard]] PendingTensor linear(const TensorOperand& x, const TensorOperand& w,
                                   std::optional<TensorOperand> bias, OperatorOptions options = {});

/// The table holds rows of a vocabulary of `all` words, from `first` on. `all` 0: it holds all of them.
struct VocabRange {
  std::int64_t first = 0;
  std::int64_t all = 0;
};
/// The rows of a table [rows, D] that indices (i32) name: [.., D]; 0 for words of another table. Each PE has
/// all of both. A kernel's check fails for an index outside of the vocabulary.
[[nodiscard]] PendingTensor embedding(const TensorOperand& indices, const TensorOperand& table,
                                      VocabRange vocabulary = {}, OperatorOptions options = {});

struct AttentionOptions {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 0;         // 0: equal to heads
  std::optional<double> scale = {};  // none: 1 / sqrt(d)
  bool is_causal = false;            // the last query stands at the last key; those before the first give 0
};
/// softmax(q k^T * scale) v of each head, one row per token: q and the result [S_q, heads * d], k and v
/// [S_kv, kv_heads * d], which may be rows of a cache. A PE has whole rows of q, and all of k and v.
[[nodiscard]] PendingTensor scaled_dot_product_attention(const TensorOperand& q, const TensorOperand& k,
                                                         const TensorOperand& v,
                                                         const AttentionOptions& attention,
                                                         OperatorOptions options = {});

/// Over the last axis. Each PE has whole rows of x, and all of weight and bias, which are rows.
[[nodiscard]] PendingTensor softmax(const TensorOperand& x, OperatorOptions options = {});
[[nodiscard]] PendingTensor layer_norm(const TensorOperand& x, const TensorOperand& weight,
                                       const TensorOperand& bias, double eps = 1e-5,
                                       OperatorOptions options = {});
[[nodiscard]] PendingTensor rms_norm(const TensorOperand& x, const TensorOperand& weight, double eps = 1e-5,
                                     OperatorOptions options = {});

}  // namespace kbsim::host
