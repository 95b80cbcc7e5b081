#include "product_times.hpp"

#include <algorithm>
#include <cmath>

#include "kbsim/kernels/llm/weight_stream.hpp"

namespace kbsim::inference {

double quotient(double a, double b) { return std::ceil(a / b); }

UnitTimes::UnitTimes(const Product& product, const PackageSite& site) : product_{product}, site_{site} {}

double UnitTimes::copy(double elements) const {
  const double bytes = elements * static_cast<double>(itemsize(product_.dtype));
  return site_.dispatch_ns + site_.tcm_ns + bytes / std::min(site_.tcm_read_rate, site_.tcm_write_rate);
}

double UnitTimes::message(const LineWays& ways, double farthest_ns, double bytes) const {
  return site_.dispatch_ns + site_.queue_ns + farthest_ns + bytes / ways.rate;
}

double UnitTimes::weights(double elements) const {
  return site_.hbm_ns + elements * static_cast<double>(itemsize(product_.dtype)) / site_.hbm_rate;
}

double UnitTimes::first_weights(double block, double all) const {
  return weights(std::min(all, block * static_cast<double>(llm::WeightStream::kBlocksAhead)));
}

double UnitTimes::dot(double m, double k, double n) const {
  const auto tile_m = static_cast<double>(site_.tile_m);
  const auto tile_k = static_cast<double>(site_.tile_k);
  const auto tile_n = static_cast<double>(site_.tile_n);
  return quotient(m, tile_m) * quotient(k, tile_k) * quotient(n, tile_n) * tile_m * tile_k * tile_n /
         site_.macs_rate;
}

double UnitTimes::elementwise(double elements) const { return site_.math_ns + elements / site_.math_rate; }

// A function such as the sigmoid, times x.
double UnitTimes::activation(double elements) const {
  if (!product_.gated) return 0.0;
  return site_.math_ns + elements / site_.function_rate + elementwise(elements);
}

double UnitTimes::epilogue(double elements) const { return (product_.gated ? 2 : 1) * elementwise(elements); }

double UnitTimes::residual(double elements) const {
  return product_.residual ? 4 * elementwise(elements) : 0.0;
}

}  // namespace kbsim::inference
