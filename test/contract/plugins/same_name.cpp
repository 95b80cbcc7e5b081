// A kernel whose name kbsim's own has.
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

struct NoArgs {};

Task<> intercube_allreduce(TL&, NoArgs) { co_return; }
KBSIM_KERNEL(intercube_allreduce, "another one of this name");

}  // namespace
}  // namespace kbsim
