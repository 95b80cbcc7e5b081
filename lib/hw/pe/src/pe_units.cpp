#include "kbsim/hw/pe/pe_units.hpp"

#include <fmt/format.h>

#include "kbsim/hw/pe/issue_queue.hpp"

namespace kbsim::hw {

void PeUnits::require_numbers(std::string_view call, const std::source_location& line) const {
  if (*evaluator) return;
  throw fault_at(line,
                 fmt::format("{} needs numbers, and this run computes none; leave out --timing-only", call));
}

}  // namespace kbsim::hw
