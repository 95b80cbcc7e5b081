#include "kbsim/base/standing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "kbsim/base/say.hpp"

namespace kbsim {
namespace {

std::atomic<const Stage*> stage = nullptr;
std::atomic<std::int64_t> simulated_ns = 0;
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

void tell_simulated(Time now, std::uint64_t events) noexcept {
  simulated_ns.store(now.count() / 1000, std::memory_order_relaxed);
  simulated_events.store(events, std::memory_order_relaxed);
}

void say_standing() noexcept {
  Line line;
  if (const Stage* const now = stage)
    line << "kbsim: " << now->done_.load() << " of " << now->all_ << " " << now->what_ << " have ended\n";
  else
    line << "kbsim: simulated " << static_cast<std::uint64_t>(simulated_ns.load()) << " ns so far, "
         << simulated_events.load() << " events\n";
  say(line.text());
}

}  // namespace kbsim
