// How a kernel's tiles get their room in the TCM.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/tl/waits.hpp"

namespace kbsim::hw {

// The issue clock waits for tiles that were let go.
bool KernelContext::may_issue(Bytes n, const std::source_location& at) {
  if (n > tcm_.size()) throw fault(at, no_room(n));
  if (!stalled_.expired()) return false;
  if (n == 0_B) return true;
  const std::optional<Time> when = tcm_.room(n, clock());
  if (when) observe(*when);
  if (!when && units_.spec->pe.tcm.on_full == config::OnFull::error) throw fault(at, no_room(n));
  return when.has_value();
}

std::string KernelContext::no_room(Bytes n) const {
  std::string text = fmt::format("a tile of {} doesn't fit the TCM of {}: {} of {} are held", to_string(n),
                                 to_string(units_.at), to_string(tcm_.held()), to_string(tcm_.size()));
  if (tcm_.held() > 0_B) text += ", " + tcm_.holders();
  return text;
}

void KernelContext::give_tcm(const TcmBudget::Hold& hold, Time when) {
  tcm_.give(hold, clock(), when);
  if (let_go_) let_go_->set();
}

void KernelContext::stall(Bytes n, const std::source_location& at, std::function<void()> issue) {
  std::shared_ptr<Stalls> stalled = stalled_.lock();
  if (!stalled) {
    stalled = std::make_shared<Stalls>();
    stalled_ = stalled;
    stalling_ = units_.sim->spawn(stalled_name(kernel_, units_.at),
                                  issue_stalled(shared_from_this(), stalled), StalledOn{units_.at});
  }
  require_commands(commands_ + static_cast<std::int64_t>(stalled->size()), at);
  stalled->push_back({.bytes = n, .at = at, .issue = std::move(issue)});
}

Task<> KernelContext::issue_stalled(std::shared_ptr<KernelContext> self, std::shared_ptr<Stalls> stalled) {
  while (!stalled->empty()) {
    const Bytes bytes = stalled->front().bytes;
    const std::optional<Time> when = tcm_.room(bytes, clock());
    if (!when) {
      let_go_ = std::make_unique<Event>(*units_.sim, "room: " + no_room(bytes));
      co_await let_go_->wait(stalled->front().at);
      continue;
    }
    observe(*when);
    const Stalled next = std::move(stalled->front());
    stalled->pop_front();
    next.issue();
  }
  let_go_.reset();
  stalled_.reset();
}

}  // namespace kbsim::hw
