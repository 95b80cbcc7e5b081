// All-gather: every rank gets all ranks' inputs, one after the other.
#include "kbsim/ccl/collective_table.hpp"

namespace kbsim::ccl {
namespace {

double of_all_in_turn(const CollectiveInputs& inputs, int /*rank*/, std::int64_t i) {
  return inputs.in(static_cast<int>(i / inputs.n_elem), i % inputs.n_elem);
}

KBSIM_COLLECTIVE(all_gather, "every rank gets all ranks' inputs, one after the other",
                 .call = "all_gather_into_tensor", .out = Extent::all_shares, .in_place = false,
                 .bus_factor = held_by_others, .reference = of_all_in_turn);

}  // namespace
}  // namespace kbsim::ccl
