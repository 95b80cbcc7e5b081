// Reduce-scatter: every rank gets its share of the combination of all inputs.
#include "kbsim/ccl/collective_table.hpp"

namespace kbsim::ccl {
namespace {

double sum_of_slice(const CollectiveInputs& inputs, int rank, std::int64_t i) {
  return inputs.combined(rank * (inputs.n_elem / inputs.ranks) + i);
}

KBSIM_COLLECTIVE(reduce_scatter, "every rank gets its share of the combination of all inputs",
                 .call = "reduce_scatter_tensor", .in = Extent::all_shares, .in_place = false,
                 .combines = true, .bus_factor = held_by_others, .reference = sum_of_slice);

}  // namespace
}  // namespace kbsim::ccl
