#include "kbsim/replay/numbers.hpp"

#include "kbsim/base/error.hpp"

#include "aligned.hpp"
#include "cast.hpp"

namespace kbsim::replay {

double element(const Buffer& buffer, DType dtype, std::int64_t index) {
  const auto item = static_cast<std::size_t>(itemsize(dtype));
  const auto count = static_cast<std::int64_t>(buffer.size() / item);
  ensure(index >= 0 && index < count, "an element outside its buffer");
  return to_doubles(std::span{buffer}.subspan(static_cast<std::size_t>(index) * item, item), dtype)[0];
}

Buffer from_doubles(std::span<const double> numbers, DType dtype) {
  Buffer buffer(numbers.size() * static_cast<std::size_t>(itemsize(dtype)));
  cast(std::as_bytes(numbers), f64, buffer, dtype);
  return buffer;
}

std::vector<double> to_doubles(std::span<const std::byte> bytes, DType dtype) {
  const auto item = static_cast<std::size_t>(itemsize(dtype));
  ensure(bytes.size() % item == 0, "a buffer that isn't a whole number of items");
  std::vector<double> numbers(bytes.size() / item);
  cast(Aligned{bytes, dtype}.bytes(), dtype, std::as_writable_bytes(std::span{numbers}), f64);
  return numbers;
}

}  // namespace kbsim::replay
