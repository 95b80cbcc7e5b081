#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/oplog/contents.hpp"

namespace kbsim::host {

/// An array in the host's own memory: contents, row-major, shared and never changed. A run without values
/// reads and writes arrays without numbers; asking these for their contents throws UsageError.
class HostArray {
 public:
  using Here = std::source_location;

  /// UsageError unless the shape is valid and `bytes` has its size.
  HostArray(Shape shape, DType dtype, std::vector<std::byte> bytes, Here at = Here::current());
  // Not inline, for the same reason as Tensor's.
  HostArray(const HostArray& other);
  HostArray(HostArray&& other) noexcept;
  HostArray& operator=(const HostArray& other);
  HostArray& operator=(HostArray&& other) noexcept;
  ~HostArray();
  [[nodiscard]] static HostArray without_numbers(Shape shape, DType dtype) { return {shape, dtype}; }
  /// `block` repeated to the end of the shape; takes no more memory than the block. UsageError for a block
  /// that is empty, or larger than the whole array.
  [[nodiscard]] static HostArray repeated(Shape shape, DType dtype, std::vector<std::byte> block,
                                          Here at = Here::current());

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] bool has_numbers() const { return numbers_ != nullptr; }
  /// All bytes. A repeated block is laid out at the first call.
  [[nodiscard]] const std::vector<std::byte>& bytes(Here at = Here::current()) const;
  /// Fills `to` with the bytes from `first` on.
  void read(std::int64_t first, std::span<std::byte> to) const;
  /// All bytes, if they lie in memory; null for a repeated block.
  [[nodiscard]] oplog::KeptBytes kept() const;
  [[nodiscard]] std::vector<double> to_doubles(Here at = Here::current()) const;

 private:
  struct Numbers;
  HostArray(Shape shape, DType dtype) : shape_{shape}, dtype_{dtype} {}
  [[nodiscard]] const Numbers& numbers() const;
  [[nodiscard]] bool repeats() const;

  Shape shape_;
  DType dtype_;
  std::shared_ptr<const Numbers> numbers_;
};

/// Element i of the row-major array is f(i), rounded to the dtype.
[[nodiscard]] HostArray generate(Shape shape, DType dtype, const std::function<double(std::int64_t)>& f,
                                 HostArray::Here at = HostArray::Here::current());
/// "element 7 is 4, expected 5; 2 of 32 differ", for arrays of one shape and dtype; "" if their bytes are
/// equal.
[[nodiscard]] std::string difference(const HostArray& got, const HostArray& expected,
                                     HostArray::Here at = HostArray::Here::current());
[[nodiscard]] HostArray full(Shape shape, double value, DType dtype,
                             HostArray::Here at = HostArray::Here::current());

}  // namespace kbsim::host
