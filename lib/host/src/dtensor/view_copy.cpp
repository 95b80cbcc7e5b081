// Other shapes of a DTensor, and writes to it.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/error.hpp"

#include "local_results.hpp"

namespace kbsim::host::dtensor {
namespace {

using Here = DTensor::Here;

Task<DTensor> viewed(DTensor x, Shape shape, Here at) {
  const bool empty = x.shape().elements() == 0;
  require(!empty || shape.elements() == 0, "view", at,
          fmt::format("shape {} is invalid for {} without elements", to_string(shape), to_string(x.shape())));
  if (!empty) at_line(at, [&] { (void)View{x.shape()}.reshaped(shape); });
  const ShardingRule rule = view_rule(x.device_mesh().shape(), placed(x), shape);
  const DTensor from = co_await x.redistribute(rule.operands[0], at);
  const LocalResult result{.like = from, .shape = shape, .dtype = x.dtype(), .placements = rule.result};
  if (!result.is_here()) co_return result.of({});
  co_return result.of(from.local(at).view(result.local(), at));
}

Task<> written(DTensor to, DTensor from, Here at) {
  require_one_mesh(to, from, "copy_", at);
  require(from.shape() == to.shape() && from.dtype() == to.dtype(), "copy_", at,
          fmt::format("{} {} into {} {}", to_string(from.shape()), kbsim::to_string(from.dtype()),
                      to_string(to.shape()), kbsim::to_string(to.dtype())));
  const bool whole = std::ranges::none_of(
      to.placements(), [](const Placement& one) { return std::holds_alternative<Partial>(one); });
  require(whole, "copy_", at,
          fmt::format("a tensor that is {} is one term of a reduction; redistribute it first",
                      to_string(to.placements())));
  const DTensor source = co_await from.redistribute(to.placements(), at);
  if (to.to_local()) co_await to.local(at).copy_(source.local(at), at);
}

}  // namespace

Task<DTensor> DTensor::view(Shape shape, Here at) const { return viewed(*this, shape, at); }

Task<> DTensor::copy_(DTensor from, Here at) const { return written(*this, std::move(from), at); }

}  // namespace kbsim::host::dtensor
