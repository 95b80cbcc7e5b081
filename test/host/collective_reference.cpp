#include "collective_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dtensor_reference.hpp"

namespace kbsim::host::test::reference {
namespace {

// A format of IEEE 754: bits of the significand with the hidden bit, and the exponents of the smallest and
// the largest normal number.
struct Format {
  int bits;
  int smallest;
  int largest;
};

Format format_of(DType dtype) {
  if (dtype == f16) return {11, -14, 15};
  if (dtype == bf16) return {8, -126, 127};
  if (dtype == f32) return {24, -126, 127};
  return {53, -1022, 1023};
}

Output exactly(const Elements& values) {
  Output out;
  for (const double value : values) out.push_back({.value = value});
  return out;
}

Elements part_of(const Elements& all, std::size_t ranks, int rank) {
  const auto size = static_cast<std::ptrdiff_t>(all.size() / ranks);
  return {all.begin() + rank * size, all.begin() + (rank + 1) * size};
}

Defined sum(DType dtype, const Elements& contributions) {
  double value = 0;
  double size = 0;
  for (const double one : contributions) {
    value = kept(value + one, dtype);
    size += std::abs(one);
  }
  const double of_reference = dtype == f64 ? 2.0 : 1.0;  // it rounds, too, in its own order
  const auto roundings = of_reference * static_cast<double>(contributions.size() - 1);
  return {.value = value, .error = info(dtype).floating ? roundings * ulp(dtype, size) / 2 : 0};
}

Defined product(DType dtype, const Elements& contributions) {
  double value = 1;
  double size = 1;  // bound on the intermediate results, in any order
  for (const double one : contributions) {
    value = kept(value * one, dtype);
    size *= std::max(1.0, std::abs(one));
  }
  return {.value = value,
          .error = info(dtype).floating ? static_cast<double>(contributions.size()) * ulp(dtype, size) : 0};
}

Defined average(DType dtype, Elements contributions) {
  double rounded = 0;
  for (double& one : contributions) {
    one /= static_cast<double>(contributions.size());
    rounded += ulp(dtype, one) / 2;
  }
  Defined all = sum(dtype, contributions);
  all.error += 2 * rounded;  // the sum rounds rounded terms
  return all;
}

}  // namespace

double ulp(DType dtype, double size) {
  const Format format = format_of(dtype);
  const int exponent = size == 0 ? format.smallest : std::max(format.smallest, std::ilogb(size));
  return std::ldexp(1.0, exponent - format.bits + 1);
}

double largest(DType dtype) {
  if (info(dtype).floating) {
    const Format format = format_of(dtype);
    return std::ldexp(2.0 - std::ldexp(1.0, 1 - format.bits), format.largest);
  }
  return std::exp2(8 * itemsize(dtype) - (info(dtype).is_signed ? 1 : 0)) - 1;
}

Defined reduced(Reduction op, DType dtype, const Elements& contributions) {
  switch (op) {
    case Reduction::max: return {.value = *std::ranges::max_element(contributions)};
    case Reduction::min: return {.value = *std::ranges::min_element(contributions)};
    case Reduction::sum: return sum(dtype, contributions);
    case Reduction::prod: return product(dtype, contributions);
    case Reduction::avg: return average(dtype, contributions);
  }
  std::abort();
}

Output all_reduce(const Ranks& in, Reduction op, DType dtype) {
  Output out;
  for (std::size_t i = 0; i < in.front().size(); ++i) {
    Elements contributions;
    for (const Elements& one : in) contributions.push_back(one[i]);
    out.push_back(reduced(op, dtype, contributions));
  }
  return out;
}

Output broadcast(const Ranks& in, int src) { return exactly(in[static_cast<std::size_t>(src)]); }

Output all_gather(const Ranks& in) {
  Elements all;
  for (const Elements& one : in) all.insert(all.end(), one.begin(), one.end());
  return exactly(all);
}

Output reduce_scatter(const Ranks& in, Reduction op, DType dtype, int rank) {
  Ranks parts;
  for (const Elements& one : in) parts.push_back(part_of(one, in.size(), rank));
  return all_reduce(parts, op, dtype);
}

Output all_to_all(const Ranks& in, int rank) {
  Elements all;
  for (const Elements& one : in) {
    const Elements part = part_of(one, in.size(), rank);
    all.insert(all.end(), part.begin(), part.end());
  }
  return exactly(all);
}

Output from_neighbour(const Ranks& in, int rank) {
  const auto ranks = static_cast<int>(in.size());
  return exactly(in[static_cast<std::size_t>((rank + ranks - 1) % ranks)]);
}

}  // namespace kbsim::host::test::reference
