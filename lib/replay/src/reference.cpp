#include "kbsim/replay/reference.hpp"

#include <algorithm>

#include <Eigen/Core>

#include "kbsim/base/error.hpp"

#include "pin_blocking.hpp"

namespace kbsim::replay {
namespace {

using Doubles = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstDoubles = Eigen::Map<const Doubles>;

// For 65 536 tokens the scores of all queries would take 34 GB at once.
constexpr std::int64_t kQueriesAtOnce = 2048;

std::int64_t count(std::span<const double> x) { return static_cast<std::int64_t>(x.size()); }

// Rows of scores, of the queries from `first` on, become the weights of the keys that each row sees.
void softmax_of_seen(Doubles& scores, const AttentionShape& shape, std::int64_t first) {
  for (std::int64_t i = 0; i < scores.rows(); ++i) {
    const std::int64_t position = shape.s_kv - shape.s_q + first + i;
    const std::int64_t seen = shape.causal ? std::max<std::int64_t>(position + 1, 0) : shape.s_kv;
    auto row = scores.row(i);
    if (seen == 0) {
      row.setZero();
      continue;
    }
    const double largest = row.head(seen).maxCoeff();
    row.head(seen) = (row.head(seen).array() - largest).exp();
    row.head(seen) /= row.head(seen).sum();
    row.tail(shape.s_kv - seen).setZero();
  }
}

}  // namespace

std::vector<double> matmul(std::span<const double> a, std::span<const double> b, MatmulShape shape) {
  pin_blocking();
  ensure(count(a) == shape.m * shape.k && count(b) == shape.k * shape.n, "matrices of other sizes");
  std::vector<double> product(static_cast<std::size_t>(shape.m * shape.n));
  Eigen::Map<Doubles>{product.data(), shape.m, shape.n}.noalias() =
      ConstDoubles{a.data(), shape.m, shape.k} * ConstDoubles{b.data(), shape.k, shape.n};
  return product;
}

std::vector<double> attention(std::span<const double> q, std::span<const double> k, std::span<const double> v,
                              const AttentionShape& shape) {
  pin_blocking();
  const std::int64_t of_q = shape.s_q * shape.d;
  const std::int64_t of_kv = shape.s_kv * shape.d;
  ensure(count(q) == shape.h_q * of_q && count(k) == shape.h_kv * of_kv && count(v) == count(k) &&
             shape.h_q % shape.h_kv == 0,
         "heads of other sizes");
  std::vector<double> out(q.size());
  for (std::int64_t head = 0; head < shape.h_q; ++head) {
    const std::int64_t shared = head / (shape.h_q / shape.h_kv);
    const ConstDoubles K{k.data() + shared * of_kv, shape.s_kv, shape.d};
    const ConstDoubles V{v.data() + shared * of_kv, shape.s_kv, shape.d};
    for (std::int64_t first = 0; first < shape.s_q; first += kQueriesAtOnce) {
      const std::int64_t rows = std::min(kQueriesAtOnce, shape.s_q - first);
      const std::int64_t from = head * of_q + first * shape.d;
      Doubles weights = ConstDoubles{q.data() + from, rows, shape.d} * K.transpose() * shape.scale;
      softmax_of_seen(weights, shape, first);
      Eigen::Map<Doubles>{out.data() + from, rows, shape.d}.noalias() = weights * V;
    }
  }
  return out;
}

}  // namespace kbsim::replay
