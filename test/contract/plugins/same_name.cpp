// A kernel with the name of one of kbsim's own.
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

struct NoArgs {};

Task<> intercube_allreduce(TL&, NoArgs) { co_return; }
KBSIM_KERNEL(intercube_allreduce, "another one of this name");

}  // namespace
}  // namespace kbsim
