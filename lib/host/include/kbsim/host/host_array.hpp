#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"

namespace kbsim::host {

/// An array in the host's own memory: contents, row-major, shared and never changed. One without numbers is
/// what a run without values reads, and may write; asked for its contents, it throws UsageError.
class HostArray {
 public:
  HostArray(Shape shape, DType dtype, std::vector<std::byte> bytes);
  // Not inline, as a Tensor's.
  HostArray(const HostArray& other);
  HostArray(HostArray&& other) noexcept;
  HostArray& operator=(const HostArray& other);
  HostArray& operator=(HostArray&& other) noexcept;
  ~HostArray();
  [[nodiscard]] static HostArray without_numbers(Shape shape, DType dtype) { return {shape, dtype}; }

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] bool has_numbers() const { return bytes_ != nullptr; }
  [[nodiscard]] const std::vector<std::byte>& bytes() const;
  [[nodiscard]] std::vector<double> to_doubles() const;

 private:
  HostArray(Shape shape, DType dtype) : shape_{shape}, dtype_{dtype} {}

  Shape shape_;
  DType dtype_;
  std::shared_ptr<const std::vector<std::byte>> bytes_;
};

/// Element i of the row-major array is f(i), rounded to the dtype.
[[nodiscard]] HostArray generate(Shape shape, DType dtype, const std::function<double(std::int64_t)>& f);
[[nodiscard]] HostArray full(Shape shape, double value, DType dtype);

}  // namespace kbsim::host
