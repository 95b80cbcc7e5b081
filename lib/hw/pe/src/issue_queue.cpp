#include "kbsim/hw/pe/issue_queue.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/sim/kernel_lines.hpp"
#include "kbsim/tl/wait_ids.hpp"
#include "kbsim/tl/waits.hpp"

namespace kbsim::hw {

KernelFault fault_at(const std::source_location& at, std::string_view text) {
  return KernelFault{fmt::format("{}: {}", to_string(to_place(at)), text)};
}

IssueQueue::IssueQueue(Simulation& sim, PollClock& poll_clock, Settings settings)
    : sim_{sim},
      poll_clock_{poll_clock},
      settings_{std::move(settings)},
      clock_{sim.now()},
      tcm_{settings_.tcm} {}

Time IssueQueue::clock() const {
  const Time now = sim_.now();
  return std::max(poll_clock_.after(clock_, now), now);
}

Cause IssueQueue::why() const {
  const Time at = clock();
  if (clock_why_ && clock_why_.at() == at) return clock_why_;
  const Cause looked = at > sim_.now() ? after_looks() : Cause{};
  return looked && looked.at() == at ? looked : sim_.causes()->of(at);
}

// pe_cpu has looked at queues meanwhile: it is free later by the looks' cost, or when the last look was over.
Cause IssueQueue::after_looks() const {
  const PollClock::Looks looks = poll_clock_.unpaid(sim_.now());
  if (looks.count == 0) return clock_why_;
  Causes& causes = *sim_.causes();
  const auto looked = [&](const Cause& from, std::int64_t n) {
    return causes.make(from.at() + n * poll_clock_.cost(), from,
                       hw::why(Reason::looks, settings_.cpu, Bytes{n}));
  };
  const Cause last = poll_clock_.look(causes, poll_clock_.number(looks.over - poll_clock_.cost()));
  const bool known = clock_why_ && clock_why_.at() == clock_;
  return causes.latest(known ? looked(clock_why_, looks.count) : Cause{},
                       last && last.at() + poll_clock_.cost() == looks.over ? looked(last, 1) : Cause{});
}

// A look's find is known when the look is over.
Cause IssueQueue::seen(Time observed) const {
  Causes& causes = *sim_.causes();
  if (Cause known = causes.known(observed)) return known;
  if (poll_clock_.cost() == Time{0} || observed != sim_.now() + poll_clock_.cost())
    return causes.of(observed);
  return causes.make(observed, causes.current(), hw::why(Reason::looks, settings_.cpu, 1_B));
}

// A past event moves the clock no further than the present time does.
void IssueQueue::explain(Time observed) {
  Causes& causes = *sim_.causes();
  const Time free = poll_clock_.after(clock_, sim_.now());
  if (free > clock_) clock_why_ = after_looks();
  if (observed > free && observed >= sim_.now()) {
    clock_why_ = causes.latest(seen(observed), clock_why_);
  } else if (causes.keeps_all() && clock_why_ && clock_why_.at() == free) {
    clock_why_ = causes.latest(clock_why_, causes.known(observed));
  }
}

void IssueQueue::observe(Time t) {
  if (sim_.causes() != nullptr) [[unlikely]]
    explain(t);
  clock_ = std::max(poll_clock_.spend(clock_, sim_.now()), t);
}

Time IssueQueue::issue(const std::source_location& at) {
  spend(settings_.dispatch, Reason::dispatch, at);
  return clock_;
}

void IssueQueue::work(Time time, const std::source_location& at) { spend(time, Reason::given, at); }

void IssueQueue::spend(Time time, Reason reason, const std::source_location& at) {
  if (stalled_.expired()) note(at);  // else the kernel is ahead of this command
  require_commands(commands_++, at);
  observe(sim_.now());
  clock_ += time;
  if (Causes* const causes = sim_.causes()) [[unlikely]] {
    Why spent = hw::why(reason, settings_.cpu);
    spent.line = causes->lines().number({.file = at.file_name(), .line = at.line()});
    clock_why_ = causes->make(clock_, clock_why_ ? clock_why_ : causes->current(), spent);
    causes->because(clock_why_);
  }
  ISpans* const spans = settings_.fabric->spans();
  if (spans == nullptr) return;
  spans->add({.kind = SpanKind::issue,
              .unit = settings_.cpu,
              .what = settings_.kernel,
              .at = at,
              .start = clock_ - time,
              .end = clock_});
}

void IssueQueue::require_commands(std::int64_t before, const std::source_location& at) const {
  if (before < settings_.max_commands) return;
  throw fault_at(at, fmt::format("the kernel has issued {} commands: is this an endless loop? If not, raise "
                                 "max_commands of pe.pe_cpu",
                                 settings_.max_commands));
}

// The issue clock waits for the bytes of released tiles.
bool IssueQueue::may_issue(Bytes n, const TileType& tile, const std::source_location& at) {
  if (n > tcm_.size()) throw fault_at(at, no_room(n, tile));
  if (!stalled_.expired()) return false;
  if (n == 0_B) return true;
  const std::optional<Time> when = tcm_.room(n, clock());
  if (when) wait_for_room(*when);
  if (!when && !settings_.may_stall) throw fault_at(at, no_room(n, tile));
  return when.has_value();
}

void IssueQueue::wait_for_room(Time until) {
  if (sim_.causes() != nullptr) [[unlikely]]
    sim_.causes()->because(tcm_.why());
  observe(until);
}

std::string IssueQueue::no_room(Bytes n, const TileType& tile) const {
  const std::string what = tile.shape == nullptr ? to_string(n)
                                                 : fmt::format("{} {} ({})", to_string(tile.dtype),
                                                               to_string(*tile.shape), to_string(n));
  std::string text = fmt::format("a tile of {} doesn't fit the TCM of {}: {} of {} are held", what,
                                 to_string(settings_.at), to_string(tcm_.held()), to_string(tcm_.size()));
  if (tcm_.held() > 0_B) text += ", " + tcm_.holders();
  if (n > tcm_.size()) return text + "; take smaller tiles";
  return text + "; let tiles go sooner (tile = {}), or commands wait for room (pe.tcm.on_full: stall)";
}

void IssueQueue::show_level(Time at, std::int64_t taken) const {
  ISpans* const spans = settings_.memory.valid() ? settings_.fabric->spans() : nullptr;
  if (spans != nullptr)
    spans->take({.unit = settings_.memory, .at = at, .change = taken, .all = settings_.tcm.count()});
}

void IssueQueue::take(TcmBudget::Hold& hold) {
  tcm_.take(hold);
  show_level(clock(), hold.bytes.count());
}

void IssueQueue::give(const TcmBudget::Hold& hold, Time when, const Cause& why) {
  show_level(std::max(when, clock()), -hold.bytes.count());
  tcm_.give(hold, clock(), when, why);
  if (let_go_) let_go_->set();
}

void IssueQueue::stall(std::shared_ptr<void> owner, Bytes n, const std::source_location& at,
                       std::function<void()> issue) {
  std::shared_ptr<Stalls> stalled = stalled_.lock();
  if (!stalled) {
    stalled = std::make_shared<Stalls>();
    stalled_ = stalled;
    stalling_ = sim_.spawn(stalled_name(settings_.kernel, settings_.at),
                           issue_stalled(std::move(owner), stalled), StalledOn{settings_.at});
  }
  note(at);
  require_commands(commands_ + static_cast<std::int64_t>(stalled->size()), at);
  stalled->push_back({.bytes = n, .at = at, .issue = std::move(issue)});
}

Task<> IssueQueue::issue_stalled(std::shared_ptr<void> /*owner*/, std::shared_ptr<Stalls> stalled) {
  while (!stalled->empty()) {
    const Bytes bytes = stalled->front().bytes;
    const std::optional<Time> when = tcm_.room(bytes, clock());
    if (!when) {
      let_go_ = std::make_unique<Event>(sim_, "room: " + no_room(bytes));
      co_await let_go_->wait(stalled->front().at);
      continue;
    }
    wait_for_room(*when);
    const Stalled next = std::move(stalled->front());
    stalled->pop_front();
    next.issue();
  }
  let_go_.reset();
  stalled_.reset();
}

Task<> IssueQueue::drained() {
  if (!stalled_.expired()) co_await stalling_.join();
}

}  // namespace kbsim::hw
