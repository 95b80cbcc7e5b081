#include "kbsim/base/standing.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/live_line.hpp"
#include "kbsim/base/say.hpp"

namespace kbsim {
namespace {

std::mutex asking;  // guards living objects: another thread may read them
const Stage* stage = nullptr;
const HostWork* work = nullptr;
std::atomic<std::int64_t> simulated_ps = 0;
std::atomic<std::uint64_t> simulated_events = 0;

// The first that lives is now_at.
template <class Lives>
void begin(const Lives*& current, const std::type_identity_t<Lives>* lives) {
  const std::scoped_lock lock{asking};
  if (current == nullptr) current = lives;
}
template <class Lives>
void end(const Lives*& current, const std::type_identity_t<Lives>* lives) {
  const std::scoped_lock lock{asking};
  if (current == lives) current = nullptr;
}

std::string standing_text() {
  const std::scoped_lock lock{asking};
  if (stage != nullptr) return stage->text();
  return fmt::format("simulated {} ns so far, {} events", simulated_ps.load() / 1000,
                     simulated_events.load());
}

}  // namespace

Stage::Stage(std::string what, std::uint64_t all) : what_{std::move(what)}, all_{all} { begin(stage, this); }

Stage::~Stage() { end(stage, this); }

std::string Stage::text() const { return fmt::format("{} of {} {} have ended", done_.load(), all_, what_); }

HostWork::HostWork(std::string_view doing, std::string_view what, std::uint64_t all, By by)
    : doing_{doing}, what_{what}, all_{all}, by_{by} {
  begin(work, this);
}

HostWork::~HostWork() { end(work, this); }

void HostWork::ended(std::uint64_t n) {
  done_.fetch_add(n, std::memory_order_relaxed);
  tick();
}

void report_simulated(Time now, std::uint64_t events) noexcept {
  simulated_ps.store(now.count(), std::memory_order_relaxed);
  simulated_events.store(events, std::memory_order_relaxed);
  tick();
}

Standing standing() {
  Standing now_at{.simulated = Time{simulated_ps.load()}, .events = simulated_events.load()};
  const std::scoped_lock lock{asking};
  if (const HostWork* const now = work) {
    now_at.doing = now->doing_;
    now_at.what = now->what_;
    now_at.done = now->done_.load();
    now_at.all = now->all_;
    now_at.by_user = now->by_ == HostWork::By::user;
  }
  return now_at;
}

void say_standing() { say("kbsim: {}\n", standing_text()); }

}  // namespace kbsim
