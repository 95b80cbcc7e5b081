#include "kbsim/hw/fabric/i_spans.hpp"

namespace kbsim::hw {

ISpans::~ISpans() = default;

}  // namespace kbsim::hw
