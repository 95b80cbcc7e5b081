// Matrix products by Eigen, in an order that depends only on the extents.
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

#include "cast.hpp"
#include "operations.hpp"
#include "panels.hpp"
#include "pin_blocking.hpp"
#include "wide.hpp"

namespace kbsim::replay {
namespace {

using oplog::Op;

template <class W>
using Matrix = Eigen::Matrix<W, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class W>
using ConstMatrix = Eigen::Map<const Matrix<W>>;
template <class W>
using MutableMatrix = Eigen::Map<Matrix<W>>;

struct Extents {
  Eigen::Index m;
  Eigen::Index k;
  Eigen::Index n;
  Eigen::Index batches;

  explicit Extents(const Op& op)
      : m{op.shape[op.shape.rank() - 2]},
        k{op.inputs[0].shape[op.shape.rank() - 1]},
        n{op.shape[op.shape.rank() - 1]},
        batches{op.shape.elements() / (m * n)} {}
};

/// Numbers of W, where Eigen's fastest loads find them.
template <class W>
class Numbers {
 public:
  Numbers(std::span<const std::byte> bytes, DType dtype) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % 16 == 0;
    const DType own = std::is_same_v<W, double> ? f64 : f32;
    if (dtype == own && aligned) {
      first_ = reinterpret_cast<const W*>(bytes.data());
    } else {
      copy_.resize(static_cast<Eigen::Index>(bytes.size()) / itemsize(dtype));
      const std::span items{copy_.data(), static_cast<std::size_t>(copy_.size())};
      cast(bytes, dtype, std::as_writable_bytes(items), own);
      first_ = copy_.data();
    }
  }
  [[nodiscard]] const W* data() const { return first_; }

 private:
  Eigen::Array<W, Eigen::Dynamic, 1> copy_;
  const W* first_ = nullptr;
};

void add(const auto& a, const auto& b, MutableMatrix<float> sum) { sum.noalias() += a * b; }
void add(const auto& a, const auto& b, MutableMatrix<double> sum) { sum.noalias() += a * b; }
void add(const auto& a, const auto& b, MutableMatrix<std::int32_t> sum) {
  const Matrix<float> panel = a * b;
  const auto integers = panel.cast<std::int32_t>().cast<std::uint32_t>();
  sum = (sum.cast<std::uint32_t>() + integers).cast<std::int32_t>();
}

/// sum += a * b, panel by panel in ascending order of k.
template <class W, class Sum>
void multiply(ConstMatrix<W> a, ConstMatrix<W> b, MutableMatrix<Sum> sum) {
  for (Eigen::Index k = 0; k < a.cols(); k += kPanel) {
    const Eigen::Index depth = std::min<Eigen::Index>(kPanel, a.cols() - k);
    add(a.middleCols(k, depth), b.middleRows(k, depth), sum);
  }
}

/// Where numbers of Sum add up: in the result itself if it holds such numbers.
template <class Sum>
Sum* sums(const Op& op, DType dtype, Output out, std::vector<Sum>& own) {
  if (op.dtype == dtype) return reinterpret_cast<Sum*>(out.data());
  own.resize(static_cast<std::size_t>(op.shape.elements()));
  return own.data();
}

/// Adds the products of numbers of W to `all`.
template <class W, class Sum>
void add_products(const Op& op, const Extents& x, Inputs inputs, Sum* all) {
  const Numbers<W> a{inputs[0], op.inputs[0].dtype};
  const Numbers<W> b{inputs[1], op.inputs[1].dtype};
  for (Eigen::Index i = 0; i < x.batches; ++i) {
    multiply<W, Sum>({a.data() + i * x.m * x.k, x.m, x.k}, {b.data() + i * x.k * x.n, x.k, x.n},
                     {all + i * x.m * x.n, x.m, x.n});
  }
}

/// One of the matrices of a batch.
FloatMatrix matrix_of(const oplog::Operand& what, std::span<const std::byte> bytes, Eigen::Index batches,
                      Eigen::Index i, Eigen::Index columns) {
  const std::size_t size = bytes.size() / static_cast<std::size_t>(batches);
  return {.bytes = bytes.subspan(static_cast<std::size_t>(i) * size, size),
          .dtype = what.dtype,
          .columns = columns};
}

void add_by_panels(const Op& op, const Extents& x, Inputs inputs, float* all) {
  for (Eigen::Index i = 0; i < x.batches; ++i) {
    add_panels(matrix_of(op.inputs[0], inputs[0], x.batches, i, x.k),
               matrix_of(op.inputs[1], inputs[1], x.batches, i, x.n),
               {all + i * x.m * x.n, static_cast<std::size_t>(x.m * x.n)});
  }
}

/// Products of numbers of W, summed up as numbers of Sum, in which `dtype` computes.
template <class W, class Sum>
void product(const Op& op, DType dtype, Inputs inputs, Output out) {
  const Extents x{op};
  std::vector<Sum> own;
  Sum* const all = sums(op, dtype, out, own);  // zeros
  if (inputs.size() == 3) load<Sum>(inputs[2], dtype, {all, op.shape.elements()});
  if constexpr (std::is_same_v<Sum, float>) {
    if (can_add_panels(x.m, x.n)) {
      add_by_panels(op, x, inputs, all);
    } else {
      add_products<W, Sum>(op, x, inputs, all);
    }
  } else {
    add_products<W, Sum>(op, x, inputs, all);
  }
  if (own.empty()) {
    store_in_place(std::span{all, static_cast<std::size_t>(op.shape.elements())});
  } else {
    store(own, op.dtype, out);
  }
}

}  // namespace

void dot(const Op& op, Inputs inputs, Output out) {
  pin_blocking();
  const DType dtype = op.inputs[0].dtype;
  if (dtype == f64) return product<double, double>(op, f64, inputs, out);
  if (info(dtype).floating) return product<float, float>(op, f32, inputs, out);
  product<float, std::int32_t>(op, i32, inputs, out);
}

}  // namespace kbsim::replay
