// Reduce: the root's tensor becomes the combination of all tensors; the others stay.
#include "kbsim/ccl/collective_table.hpp"

namespace kbsim::ccl {
namespace {

double sum_at_root(const CollectiveInputs& inputs, int rank, std::int64_t i) {
  return rank == inputs.root ? inputs.combined(i) : inputs.in(rank, i);
}

KBSIM_COLLECTIVE(reduce, "the root's tensor becomes the combination of all tensors", .combines = true,
                 .has_root = true, .at_root_alone = true, .reference = sum_at_root);

}  // namespace
}  // namespace kbsim::ccl
