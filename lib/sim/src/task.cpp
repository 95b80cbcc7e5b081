#include "kbsim/sim/task.hpp"

namespace kbsim::detail {

void refuse_empty_task(const std::source_location& at) {
  throw UsageError{to_string(to_place(at)) +
                   ": a task is awaited once, and this one is empty: it was awaited or moved before, or its "
                   "function returned none"};
}

}  // namespace kbsim::detail
