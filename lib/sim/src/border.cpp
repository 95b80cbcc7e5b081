#include "kbsim/sim/border.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/windows.hpp"

#include "window_graph.hpp"

namespace kbsim::detail {

AnyBorder::AnyBorder(Windows& windows, std::size_t from, std::size_t to)
    : parity_{windows.graph().parity},
      sender_{windows.graph().processes[from]},
      from_{from},
      to_{to},
      lookahead_{windows.graph().lookahead} {
  windows.graph().borders.push_back(this);
}

void AnyBorder::set_lookahead(Time lookahead) {
  if (lookahead <= Time{0})
    throw UsageError{"processes side by side need a lookahead, got " + to_string(lookahead)};
  lookahead_ = lookahead;
}

void AnyBorder::note(Time at) {
  if (at < sender_.sim->now() + lookahead_ || at == kForever) [[unlikely]]
    throw_internal("a post over a border is for the lookahead later");
  if (first_ == kForever) sender_.posted_to.push_back(this);
  first_ = std::min(first_, at);
}

}  // namespace kbsim::detail
