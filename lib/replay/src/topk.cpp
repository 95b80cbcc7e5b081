#include <algorithm>
#include <numeric>
#include <vector>

#include "extremes.hpp"
#include "operations.hpp"
#include "wide.hpp"

namespace kbsim::replay {
namespace {

using oplog::Op;

/// Descending, NaN last, the first of equals first.
template <class W>
struct Before {
  const W* row;
  bool operator()(std::int32_t a, std::int32_t b) const {
    const W x = row[a];
    const W y = row[b];
    if (is_nan(x) != is_nan(y)) return is_nan(y);
    return x > y || (!(x < y) && a < b);
  }
};

/// The indices of the k largest of a row.
template <class W>
std::vector<std::int32_t> best(const W* row, std::int64_t n, std::int64_t k) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(), Before<W>{row});
  order.resize(static_cast<std::size_t>(k));
  return order;
}

}  // namespace

void topk(const Op& op, Inputs inputs, Output out) {
  const DType dtype = op.inputs[0].dtype;
  const int last = op.shape.rank() - 1;
  const std::int64_t n = op.inputs[0].shape[last];
  const std::int64_t k = op.shape[last];
  dispatch_wide(dtype, [&]<class W>(TypeTag<W>) {
    const std::vector<W> numbers = loaded<W>(inputs[0], dtype);
    std::vector<W> values;
    std::vector<std::int64_t> indices;
    for (const W* row = numbers.data(); row != numbers.data() + numbers.size(); row += n) {
      for (const std::int32_t i : best(row, n, k)) {
        values.push_back(row[i]);
        indices.push_back(i);
      }
    }
    if (op.params.indices) return store(indices, op.dtype, out);
    store(values, op.dtype, out);
  });
}

}  // namespace kbsim::replay
