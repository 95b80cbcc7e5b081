// All-to-all: share r of a rank's output is that rank's share of rank r's input.
#include "kbsim/ccl/collective_table.hpp"

namespace kbsim::ccl {
namespace {

double from_each(const CollectiveInputs& inputs, int rank, std::int64_t i) {
  const std::int64_t share = inputs.n_elem / inputs.ranks;
  return inputs.in(static_cast<int>(i / share), rank * share + i % share);
}

KBSIM_COLLECTIVE(all_to_all, "share r of a rank's output is that rank's share of rank r's input",
                 .call = "all_to_all_single", .in = Extent::all_shares, .out = Extent::all_shares,
                 .in_place = false, .bus_factor = held_by_others, .reference = from_each);

}  // namespace
}  // namespace kbsim::ccl
