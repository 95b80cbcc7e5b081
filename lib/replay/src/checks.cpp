#include "kbsim/replay/checks.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "reports.hpp"

namespace kbsim::replay {
namespace {

Shape place_of(std::int64_t element, const Shape& shape) {
  std::array<std::int64_t, Shape::kMaxRank> place{};
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    place[static_cast<std::size_t>(axis)] = element % shape[axis];
    element /= shape[axis];
  }
  return Shape::of(std::span{place}.first(static_cast<std::size_t>(shape.rank())));
}

std::string describe(double number, DType dtype) {
  return dtype == DType::boolean ? "false" : fmt::format("{}", number);
}

}  // namespace

std::optional<std::string> untrue(std::span<const std::byte> bytes, DType dtype, const Shape& shape) {
  const std::vector<double> numbers = to_doubles(bytes, dtype);
  const auto bad = std::ranges::find_if(numbers, [](double x) { return !(x < 0.0 || x > 0.0); });
  if (bad == numbers.end()) return std::nullopt;
  return fmt::format("element {} of {} {} is {}", to_string(place_of(bad - numbers.begin(), shape)),
                     to_string(dtype), to_string(shape), describe(*bad, dtype));
}

void check(const oplog::OpLog& log, Replay& replay) {
  for (const oplog::Op* op : reports_of(log, oplog::OpKind::check)) {
    const Buffer bytes = replay.evaluate(op->inputs[0]);
    if (const auto text = untrue(bytes, op->dtype, op->shape)) {
      throw KernelFault{
          fmt::format("[{} {}] {}: {}", to_string(op->end), log.lane_name(op->id.lane), text_of(*op), *text)};
    }
  }
}

}  // namespace kbsim::replay
