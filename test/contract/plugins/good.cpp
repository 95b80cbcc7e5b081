// A kernel that kbsim doesn't have.
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

struct NoArgs {};

Task<> plugged_in(TL&, NoArgs) { co_return; }
KBSIM_KERNEL(plugged_in, "does nothing, from outside");

}  // namespace
}  // namespace kbsim
