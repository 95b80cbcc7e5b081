#pragma once

#include <cstdint>

#include "kbsim/base/time.hpp"
#include "kbsim/llm/product_mapping.hpp"

namespace kbsim::inference {

/// How long a phase takes for a product of `rows` rows by product_columns and by product_blocks, in `step`'s
/// chunks. Closed forms: the longest of what the commands, the links, the memories and the engine take, and
/// the latencies that nothing hides.
[[nodiscard]] Time columns_time(const Product& product, std::int64_t rows, const PackageSite& site,
                                const ProductStep& step);
[[nodiscard]] Time blocks_time(const Product& product, std::int64_t rows, const PackageSite& site,
                               const ProductStep& step);

/// Rounded up.
[[nodiscard]] double quotient(double a, double b);

/// Times in ns of what one PE does alone, of elements of a product.
class UnitTimes {
 public:
  UnitTimes(const Product& product, const PackageSite& site);

  [[nodiscard]] double commands(double count) const { return count * site_.dispatch_ns; }
  /// A command that copies so many elements from the TCM into a tile, or back.
  [[nodiscard]] double copy(double elements) const;
  /// A send until its receiver has it; as many bytes.
  [[nodiscard]] double message(const LineWays& ways, double farthest_ns, double bytes) const;
  /// All weights of a PE, from the first command on.
  [[nodiscard]] double weights(double elements) const;
  /// The first block of a stream of as many elements; the blocks under way share the rate.
  [[nodiscard]] double first_weights(double block, double all) const;
  [[nodiscard]] double dot(double m, double k, double n) const;
  /// One elementwise operation.
  [[nodiscard]] double elementwise(double elements) const;
  /// From sums to results: rounding, and if gated the activation and the other matrix's sums.
  [[nodiscard]] double activation(double elements) const;
  [[nodiscard]] double epilogue(double elements) const;
  /// Both addends to f32, their sum, rounding; nothing if the product adds none.
  [[nodiscard]] double residual(double elements) const;

 private:
  const Product& product_;
  const PackageSite& site_;
};

}  // namespace kbsim::inference
