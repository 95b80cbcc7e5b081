// Broadcast: every rank's tensor becomes the root's.
#include "kbsim/ccl/collective_table.hpp"

namespace kbsim::ccl {
namespace {

double of_root(const CollectiveInputs& inputs, int /*rank*/, std::int64_t i) {
  return inputs.in(inputs.root, i);
}

KBSIM_COLLECTIVE(broadcast, "every rank's tensor becomes the root's", .has_root = true, .reference = of_root);

}  // namespace
}  // namespace kbsim::ccl
