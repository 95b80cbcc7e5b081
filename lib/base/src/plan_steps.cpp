#include "kbsim/base/plan_steps.hpp"

#include <fmt/format.h>

namespace kbsim {

std::string plan_label(const PlanBlock& block, bool sends) {
  return sends ? fmt::format("to_rank{}.{}", block.send, block.channel)
               : fmt::format("from_rank{}.{}", block.recv, block.channel);
}

}  // namespace kbsim
