// All-reduce: every rank's tensor becomes the combination of all tensors.
#include "kbsim/ccl/collective_table.hpp"

namespace kbsim::ccl {
namespace {

double sum_of_all(const CollectiveInputs& inputs, int /*rank*/, std::int64_t i) { return inputs.combined(i); }

KBSIM_COLLECTIVE(
    all_reduce, "every rank's tensor becomes the combination of all tensors", .combines = true,
    .bus_factor = [](int ranks) { return 2.0 * held_by_others(ranks); }, .reference = sum_of_all);

}  // namespace
}  // namespace kbsim::ccl
