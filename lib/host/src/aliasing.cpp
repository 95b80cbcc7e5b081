#include "aliasing.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

bool bytes_meet(const Shard& a, const Shard& b) {
  return a.pa < b.pa + b.spec.nbytes && b.pa < a.pa + a.spec.nbytes;
}

// The first shards that overlap. Tensors of two allocations have no byte in common.
std::optional<std::pair<Shard, Shard>> first_meeting(const Tensor& a, const Tensor& b) {
  if (a.state() != b.state()) return std::nullopt;
  for (const Shard& of_a : a.shards()) {
    const auto found =
        std::ranges::find_if(b.shards(), [&](const Shard& of_b) { return bytes_meet(of_a, of_b); });
    if (found != b.shards().end()) return std::pair{of_a, *found};
  }
  return std::nullopt;
}

// "input 'x' (bytes 4 to 16 of its memory)"
std::string text_of_aliased(const AliasedTensor& operand, const Shard& shard) {
  const auto first = static_cast<std::int64_t>(operand.tensor.ptr().va - *operand.tensor.state()->va) +
                     shard.spec.offset_bytes;
  return fmt::format("{} '{}' {} (bytes {} to {} of its memory)", operand.role, operand.tensor.name(),
                     to_string(operand.tensor.shape()), first, first + shard.spec.nbytes.count());
}

}  // namespace

bool same_bytes(const Tensor& a, const Tensor& b) {
  return is_share(a, b, [](PeCoord) { return 0; }) &&
         std::ranges::equal(
             a.shards(), b.shards(), {}, [](const Shard& one) { return one.spec.nbytes; },
             [](const Shard& one) { return one.spec.nbytes; });
}

void require_apart(World& world, int rank, const std::string& call, const AliasedTensor& a,
                   const AliasedTensor& b) {
  const auto met = first_meeting(a.tensor, b.tensor);
  if (!met) return;
  const UsageError error{fmt::format("{}: {} and {} overlap on {}, and not as the call works in place", call,
                                     text_of_aliased(a, met->first), text_of_aliased(b, met->second),
                                     to_string(met->first.spec.at))};
  world.fail(rank, std::make_exception_ptr(error));
  throw error;
}

}  // namespace kbsim::host
