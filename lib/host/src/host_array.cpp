#include "kbsim/host/host_array.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/replay/numbers.hpp"

namespace kbsim::host {

HostArray::HostArray(Shape shape, DType dtype, std::vector<std::byte> bytes)
    : shape_{shape}, dtype_{dtype}, bytes_{std::make_shared<const std::vector<std::byte>>(std::move(bytes))} {
  ensure(static_cast<std::int64_t>(bytes_->size()) == shape.bytes(dtype).count(),
         "a host array of another size");
}

HostArray::HostArray(const HostArray& other) = default;
HostArray::HostArray(HostArray&& other) noexcept = default;
HostArray& HostArray::operator=(const HostArray& other) = default;
HostArray& HostArray::operator=(HostArray&& other) noexcept = default;
HostArray::~HostArray() = default;

const std::vector<std::byte>& HostArray::bytes() const {
  if (!has_numbers()) throw UsageError{"an array of a run with --timing-only has no numbers to look at"};
  return *bytes_;
}

std::vector<double> HostArray::to_doubles() const { return replay::to_doubles(bytes(), dtype_); }

namespace {

void require_unstopped() {
  if (stop_signal() != 0) throw Interrupted{"interrupted while a tensor's numbers were made"};
}

}  // namespace

HostArray generate(Shape shape, DType dtype, const std::function<double(std::int64_t)>& f) {
  constexpr std::int64_t kAtOnce = 65536;  // doubles take eight times a byte's memory
  const std::int64_t all = shape.elements();
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(shape.bytes(dtype).count()));
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < all;) {
    require_unstopped();
    numbers.clear();
    for (const std::int64_t end = std::min(all, i + kAtOnce); i < end; ++i) numbers.push_back(f(i));
    const replay::Buffer some = replay::from_doubles(numbers, dtype);
    bytes.insert(bytes.end(), some.begin(), some.end());
  }
  return {shape, dtype, std::move(bytes)};
}

HostArray full(Shape shape, double value, DType dtype) {
  return generate(shape, dtype, [value](std::int64_t) { return value; });
}

}  // namespace kbsim::host
