#include "kbsim/base/standing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "kbsim/base/live_line.hpp"
#include "kbsim/base/say.hpp"

namespace kbsim {
namespace {

std::atomic<const Stage*> stage = nullptr;
std::atomic<const HostWork*> work_told = nullptr;
std::atomic<std::int64_t> simulated_ps = 0;
std::atomic<std::uint64_t> simulated_events = 0;

// A line put together without memory of the heap, as a signal handler must.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    const auto n = std::min(text.size(), static_cast<std::size_t>(buffer_.end() - end_));
    end_ = std::copy_n(text.begin(), n, end_);
    return *this;
  }
  Line& operator<<(std::uint64_t number) {
    end_ = std::to_chars(end_, buffer_.end(), number).ptr;
    return *this;
  }
  [[nodiscard]] std::string_view text() const { return {buffer_.begin(), end_}; }

 private:
  std::array<char, 160> buffer_{};
  char* end_ = buffer_.data();
};

}  // namespace

Stage::Stage(std::string what, std::uint64_t all) : what_{std::move(what)}, all_{all} {
  const Stage* none = nullptr;
  (void)stage.compare_exchange_strong(none, this);
}

Stage::~Stage() {
  const Stage* mine = this;
  (void)stage.compare_exchange_strong(mine, nullptr);
}

HostWork::HostWork(std::string_view doing, std::string_view what, std::uint64_t all)
    : doing_{doing}, what_{what}, all_{all} {
  const HostWork* none = nullptr;
  (void)work_told.compare_exchange_strong(none, this);
}

HostWork::~HostWork() {
  const HostWork* mine = this;
  (void)work_told.compare_exchange_strong(mine, nullptr);
}

void HostWork::ended(std::uint64_t n) {
  done_.fetch_add(n, std::memory_order_relaxed);
  tick();
}

void tell_simulated(Time now, std::uint64_t events) noexcept {
  simulated_ps.store(now.count(), std::memory_order_relaxed);
  simulated_events.store(events, std::memory_order_relaxed);
  tick();
}

Standing standing() {
  Standing told{.simulated = Time{simulated_ps.load()}, .events = simulated_events.load()};
  if (const HostWork* const now = work_told) {
    told.doing = now->doing_;
    told.what = now->what_;
    told.done = now->done_.load();
    told.all = now->all_;
  }
  return told;
}

void say_standing() noexcept {
  Line line;
  if (const Stage* const now = stage)
    line << "kbsim: " << now->done_.load() << " of " << now->all_ << " " << now->what_ << " have ended\n";
  else
    line << "kbsim: simulated " << static_cast<std::uint64_t>(simulated_ps.load()) / 1000 << " ns so far, "
         << simulated_events.load() << " events\n";
  say(line.text());
}

}  // namespace kbsim
