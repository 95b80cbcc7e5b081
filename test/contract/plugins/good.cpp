// A kernel that kbsim doesn't have.
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> plugged_in(TL&, CollectiveArgs) { co_return; }
KBSIM_KERNEL(plugged_in, "does nothing, from outside");

}  // namespace
}  // namespace kbsim
