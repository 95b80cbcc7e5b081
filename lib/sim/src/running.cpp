#include "kbsim/sim/detail/running.hpp"

#include "kbsim/sim/detail/process_record.hpp"

namespace kbsim::detail {

PartId Running::part() const { return process() != nullptr ? process()->part : built_; }
PartId Running::place() const { return process() != nullptr ? process()->part : arrived_; }

}  // namespace kbsim::detail
