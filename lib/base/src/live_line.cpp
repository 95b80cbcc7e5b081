#include "kbsim/base/live_line.hpp"

#include <atomic>
#include <mutex>
#include <utility>

namespace kbsim {
namespace {

constexpr std::chrono::seconds kSilent{2};
constexpr std::chrono::milliseconds kBetweenDraws{500};

std::mutex drawing;  // guards the line that lives
std::atomic<LiveLine*> drawn_line = nullptr;

}  // namespace

LiveLine::LiveLine(Text text, std::optional<Terminal> terminal) : text_{std::move(text)} {
  if (!terminal) return;
  terminal_ = *std::move(terminal);
  due_ = terminal_.now() + kSilent;
  LiveLine* none = nullptr;
  const std::scoped_lock lock{drawing};
  (void)drawn_line.compare_exchange_strong(none, this);
}

LiveLine::~LiveLine() {
  const std::scoped_lock lock{drawing};
  LiveLine* mine = this;
  if (drawn_line.compare_exchange_strong(mine, nullptr)) terminal_.in_place({});
}

void LiveLine::draw() {
  const std::scoped_lock lock{drawing};
  if (drawn_line != this) return;
  show(false);
  due_ = terminal_.now() + kSilent;
}

void LiveLine::tick_at(Clock::time_point now) {
  if (now < due_) return;
  due_ = now + kBetweenDraws;
  if (terminal_.in_foreground()) show(true);
}

void LiveLine::show(bool ticks) { terminal_.in_place(text_(terminal_.columns(), ticks)); }

void tick() noexcept {
  if (drawn_line.load(std::memory_order_relaxed) == nullptr) return;
  const std::unique_lock lock{drawing, std::try_to_lock};
  LiveLine* const line = lock ? drawn_line.load() : nullptr;
  if (line == nullptr) return;
  try {
    line->tick_at(line->terminal_.now());
  } catch (...) {  // without memory there is no line
  }
}

}  // namespace kbsim
