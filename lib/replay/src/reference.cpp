#include "kbsim/replay/reference.hpp"

#include <Eigen/Core>

#include "kbsim/base/error.hpp"

namespace kbsim::replay {
namespace {

using Doubles = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstDoubles = Eigen::Map<const Doubles>;

}  // namespace

std::vector<double> matmul(std::span<const double> a, std::span<const double> b, MatmulShape shape) {
  const auto count = [](std::span<const double> x) { return static_cast<std::int64_t>(x.size()); };
  ensure(count(a) == shape.m * shape.k && count(b) == shape.k * shape.n, "matrices of other sizes");
  std::vector<double> product(static_cast<std::size_t>(shape.m * shape.n));
  Eigen::Map<Doubles>{product.data(), shape.m, shape.n}.noalias() =
      ConstDoubles{a.data(), shape.m, shape.k} * ConstDoubles{b.data(), shape.k, shape.n};
  return product;
}

}  // namespace kbsim::replay
