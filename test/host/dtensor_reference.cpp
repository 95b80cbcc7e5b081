#include "dtensor_reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kbsim::host::test::reference {
namespace {

constexpr DType b1 = DType::boolean;
constexpr std::array kOrder{u8, i8, i16, i32, i64, f16, f32, f64, b1, bf16};
constexpr std::array<std::array<DType, 10>, 10> kPromotions{{
    {u8, i16, i16, i32, i64, f16, f32, f64, u8, bf16},
    {i16, i8, i16, i32, i64, f16, f32, f64, i8, bf16},
    {i16, i16, i16, i32, i64, f16, f32, f64, i16, bf16},
    {i32, i32, i32, i32, i64, f16, f32, f64, i32, bf16},
    {i64, i64, i64, i64, i64, f16, f32, f64, i64, bf16},
    {f16, f16, f16, f16, f16, f16, f32, f64, f16, f32},
    {f32, f32, f32, f32, f32, f32, f32, f64, f32, f32},
    {f64, f64, f64, f64, f64, f64, f64, f64, f64, f64},
    {u8, i8, i16, i32, i64, f16, f32, f64, b1, bf16},
    {bf16, bf16, bf16, bf16, bf16, f32, f32, f64, bf16, bf16},
}};

std::size_t place_of(DType dtype) {
  return static_cast<std::size_t>(std::ranges::find(kOrder, dtype) - kOrder.begin());
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

std::size_t row_of(const Whole& x) {
  return x.shape.rank() == 0 ? 1 : static_cast<std::size_t>(x.shape[x.shape.rank() - 1]);
}

Shape wider(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return a.rank() > b.rank() ? a : b;
  for (int dim = 0; dim < a.rank(); ++dim) {
    if (a[dim] != b[dim]) return a[dim] == 1 ? b : a;
  }
  return a;
}

}  // namespace

DType promoted(DType a, DType b) { return kPromotions.at(place_of(a)).at(place_of(b)); }

double kept(double value, DType dtype) {
  if (info(dtype).floating) return value;
  if (dtype == b1) return value != 0 ? 1 : 0;
  if (dtype == i64) return value;
  const double all = std::exp2(8 * itemsize(dtype));
  const double first = info(dtype).is_signed ? -all / 2 : 0;
  return value - all * std::floor((value - first) / all);
}

double rounding(DType dtype, double largest) {
  if (!info(dtype).floating) return 0;
  const int bits = dtype == bf16 ? 8 : dtype == f16 ? 11 : dtype == f32 ? 24 : 53;
  return (largest + 1e-4) * std::exp2(1 - bits);
}

Cut chunk(std::int64_t n, int count, int i) {
  std::int64_t begin = 0;
  const std::int64_t size = n / count + (n % count != 0 ? 1 : 0);
  for (int earlier = 0; earlier < i; ++earlier) begin = std::min(n, begin + size);
  return {begin, std::min(n, begin + size)};
}

Whole add(const Whole& a, const Whole& b) {
  Whole sum{.shape = wider(a.shape, b.shape), .dtype = promoted(a.dtype, b.dtype)};
  const auto n = static_cast<std::size_t>(sum.shape.elements());
  for (std::size_t i = 0; i < n; ++i)
    sum.values.push_back(kept(a.values[i % a.values.size()] + b.values[i % b.values.size()], sum.dtype));
  // Parts of Partial sums may be some times as large as what they sum to.
  sum.error = a.error + b.error + 8 * rounding(sum.dtype, largest(a.values) + largest(b.values) + 16);
  return sum;
}

DType with_number(DType tensor, bool integer, Arithmetic op) {
  DType dtype = tensor;
  if (!info(tensor).floating) dtype = !integer ? f32 : tensor == b1 ? i64 : tensor;
  return op == Arithmetic::div && !info(dtype).floating ? f32 : dtype;
}

// Parts of Partial sums may be by 20 larger than what they sum to.
Whole arithmetic(const Whole& a, const Whole& b, Arithmetic op, DType result) {
  Whole y{.shape = wider(a.shape, b.shape), .dtype = result};
  const auto n = static_cast<std::size_t>(y.shape.elements());
  double most = 0;
  double moved = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = a.values[i % a.values.size()];
    const double v = b.values[i % b.values.size()];
    const std::array values{u + v, u - v, u * v, u / v};
    y.values.push_back(kept(values.at(static_cast<std::size_t>(op)), result));
    const bool product = op == Arithmetic::mul;
    const bool quotient = op == Arithmetic::div;
    const double size_u = std::abs(u) + 20;
    const double size_v = std::abs(v) + (quotient ? 0 : 20);
    most = std::max(most, product ? size_u * size_v : quotient ? size_u / size_v : size_u + size_v);
    moved = std::max(moved, product    ? a.error * std::abs(v) + b.error * std::abs(u)
                            : quotient ? (a.error + std::abs(u / v) * b.error) / std::abs(v)
                                       : a.error + b.error);
  }
  y.error = moved + 8 * rounding(result, most);
  return y;
}

Whole reduced(const Whole& x, std::optional<int> dim, bool keepdim, Reduced what) {
  std::vector<std::int64_t> extents;
  std::int64_t outer = 1;
  std::int64_t n = dim ? x.shape[*dim] : x.shape.elements();
  std::int64_t inner = 1;
  for (int i = 0; i < x.shape.rank(); ++i) {
    const bool gone = !dim || i == *dim;
    if (!gone || keepdim) extents.push_back(gone ? 1 : x.shape[i]);
    if (dim && i < *dim) outer *= x.shape[i];
    if (dim && i > *dim) inner *= x.shape[i];
  }
  const bool floats = info(x.dtype).floating;
  Whole y{.shape = Shape::of(extents), .dtype = what == Reduced::sum && !floats ? i64 : x.dtype};
  double most = 0;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      double sum = 0, mass = 0, squares = 0, largest = -1e300, smallest = 1e300;
      for (std::int64_t k = 0; k < n; ++k) {
        const double v = x.values[static_cast<std::size_t>((o * n + k) * inner + i)];
        sum += v;
        mass += std::abs(v) + 20;
        squares += v * v;
        largest = std::max(largest, v);
        smallest = std::min(smallest, v);
      }
      const std::array values{sum, sum / static_cast<double>(n), std::sqrt(squares), largest, smallest};
      y.values.push_back(values.at(static_cast<std::size_t>(what)));
      most = std::max(most, mass);
    }
  }
  const auto count = static_cast<double>(n);
  if (what == Reduced::sum) y.error = count * x.error + 8 * rounding(y.dtype, most);
  if (what == Reduced::mean) y.error = x.error + 8 * rounding(y.dtype, 6 * most / std::max(count, 1.0));
  if (what == Reduced::norm) y.error = std::sqrt(count) * x.error + 8 * rounding(y.dtype, most);
  if (what >= Reduced::amax) y.error = x.error;
  return y;
}

Whole relu(const Whole& x) {
  Whole y = x;
  for (double& value : y.values) value = std::max(value, 0.0);
  return y;
}

Whole softmax(const Whole& x) {
  Whole y = x;
  const std::size_t row = row_of(x);
  for (std::size_t first = 0; first < x.values.size(); first += row) {
    const auto begin = x.values.begin() + static_cast<std::ptrdiff_t>(first);
    const double most = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(row));
    double sum = 0;
    for (std::size_t i = first; i < first + row; ++i) sum += y.values[i] = std::exp(x.values[i] - most);
    for (std::size_t i = first; i < first + row; ++i) y.values[i] /= sum;
  }
  y.error = std::expm1(std::min(2 * x.error, 1.0)) + 4 * rounding(x.dtype, 1) + rounding(f32, 64);
  return y;
}

Whole layer_norm(const Whole& x, const Whole& weight, const Whole& bias) {
  Whole y = x;
  const std::size_t row = row_of(x);
  double steepest = 0;
  double highest = 0;
  for (std::size_t first = 0; first < x.values.size(); first += row) {
    double mean = 0;
    double variance = 0;
    for (std::size_t i = first; i < first + row; ++i) mean += x.values[i] / static_cast<double>(row);
    for (std::size_t i = first; i < first + row; ++i)
      variance += (x.values[i] - mean) * (x.values[i] - mean) / static_cast<double>(row);
    const double scale = 1 / std::sqrt(variance + 1e-5);
    steepest = std::max(steepest, scale);
    for (std::size_t i = first; i < first + row; ++i) {
      const double normal = (x.values[i] - mean) * scale;
      highest = std::max(highest, std::abs(normal));
      y.values[i] = normal * weight.values[i - first] + bias.values[i - first];
    }
  }
  const double moved = 2 * steepest * (1 + highest) * (x.error + rounding(f32, 4 * largest(x.values)));
  y.error = moved * largest(weight.values) + highest * weight.error + bias.error +
            4 * rounding(x.dtype, highest * largest(weight.values) + largest(bias.values));
  return y;
}

Whole matmul(const Whole& x, const Whole& w) {
  const auto depth = row_of(x);
  const auto width = row_of(w);
  std::vector<std::int64_t> extents{x.shape.extents().begin(), x.shape.extents().end()};
  extents.back() = static_cast<std::int64_t>(width);
  Whole y{.shape = Shape::of(extents), .dtype = x.dtype};
  const auto rows = width == 0 ? 0 : static_cast<std::size_t>(y.shape.elements()) / width;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < depth; ++k) sum += x.values[i * depth + k] * w.values[k * width + j];
      y.values.push_back(sum);
    }
  }
  const double a = largest(x.values) + 16;
  const double b = largest(w.values) + 16;
  y.error = static_cast<double>(depth) * (a * w.error + b * x.error + x.error * w.error) +
            8 * rounding(x.dtype, static_cast<double>(depth) * a * b);
  return y;
}

}  // namespace kbsim::host::test::reference
