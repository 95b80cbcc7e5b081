// How a kernel's tiles get their room in the TCM.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/kernel_context.hpp"

namespace kbsim::hw {

// The issue clock waits for tiles that were let go.
bool KernelContext::room(Bytes n) {
  const std::optional<Time> when = tcm_.room(n, clock());
  if (when) observe(*when);
  return when.has_value();
}

std::string KernelContext::no_room(Bytes n) const {
  std::string text = fmt::format("a tile of {} doesn't fit the TCM of {}: {} of {} are held", to_string(n),
                                 to_string(units_.at), to_string(tcm_.held()), to_string(tcm_.size()));
  if (tcm_.held() > 0_B) text += ", " + tcm_.holders();
  return text;
}

// Commands are issued in order, so that one of an engine can't wait for what a later line lets go.
void KernelContext::require_room(Bytes n, const std::source_location& at) {
  if (!room(n)) {
    std::string text = no_room(n);
    if (units_.spec->pe.tcm.on_full == "stall")
      text += "; the command of an engine can't wait for them: let tiles go, or await what uses them, first";
    throw fault(at, text);
  }
}

void KernelContext::give_tcm(const TcmBudget::Hold& hold, Time when) {
  tcm_.give(hold, clock(), when);
  if (let_go_) let_go_->set();
}

void KernelContext::stall(Stalled load) {
  stalled_.push_back(std::move(load));
  if (stalled_.size() > 1) return;
  (void)units_.sim->spawn(
      fmt::format("the loads of {} on {} that wait for TCM", kernel_, to_string(units_.at)),
      start_stalled(shared_from_this()));
}

Task<> KernelContext::start_stalled(std::shared_ptr<KernelContext> self) {
  while (!stalled_.empty()) {
    const Stalled& next = stalled_.front();
    const Bytes size = next.shape.bytes(next.dtype);
    const std::optional<Time> when = tcm_.room(size, clock());
    if (!when) {
      let_go_ = std::make_unique<Event>(*units_.sim, "room: " + no_room(size));
      co_await let_go_->wait(next.pending->at());
      continue;
    }
    Stalled load = std::move(stalled_.front());
    start_load(std::move(load), std::max(*when, units_.sim->now()) + units_.mmu->latency());
    stalled_.pop_front();
  }
  let_go_.reset();
}

}  // namespace kbsim::hw
