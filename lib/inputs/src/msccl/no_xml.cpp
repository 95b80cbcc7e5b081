// Compiled in place of what reads plans in XML where pugixml is missing.
#include "kbsim/base/built_without.hpp"
#include "kbsim/inputs/msccl/xml.hpp"

namespace kbsim::inputs {

ccl::Plan parse_msccl(const Text&) { throw built_without("collective plans in XML", "libpugixml-dev"); }

}  // namespace kbsim::inputs
