#include "kbsim/inputs/msccl/mscclpp.hpp"

#include "../msccl/queue_checks.hpp"
#include "program.hpp"
#include "translate.hpp"

namespace kbsim::inputs {

ccl::Plan parse_mscclpp(const Text& text) {
  ccl::Plan plan = mscclpp::translated(mscclpp::read_program(text), text.name());
  msccl::require_ends(plan);
  return plan;
}

}  // namespace kbsim::inputs
