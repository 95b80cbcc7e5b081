#include "kbsim/replay/reference.hpp"

#include <Eigen/Core>

#include "kbsim/base/error.hpp"

namespace kbsim::replay {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMatrix = Eigen::Map<const Matrix>;

}  // namespace

std::vector<double> matmul(std::span<const double> a, std::span<const double> b, MatmulShape shape) {
  const auto count = [](std::span<const double> x) { return static_cast<std::int64_t>(x.size()); };
  ensure(count(a) == shape.m * shape.k && count(b) == shape.k * shape.n, "matrices of other sizes");
  std::vector<double> product(static_cast<std::size_t>(shape.m * shape.n));
  Eigen::Map<Matrix>{product.data(), shape.m, shape.n}.noalias() =
      ConstMatrix{a.data(), shape.m, shape.k} * ConstMatrix{b.data(), shape.k, shape.n};
  return product;
}

}  // namespace kbsim::replay
