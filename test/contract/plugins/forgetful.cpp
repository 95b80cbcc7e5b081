// A collective that does nothing: all values that must come from other ranks are wrong.
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> forgetful(TL&, CollectiveArgs) { co_return; }
KBSIM_KERNEL(forgetful, "leaves everything as it was");

}  // namespace
}  // namespace kbsim
