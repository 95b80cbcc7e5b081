#include "progress.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/report/terminal.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::chrono::seconds kBetweenLines{5};
constexpr std::size_t kWidth = 30;
constexpr std::size_t kNarrow = 80;

}  // namespace

Progress::Progress(std::size_t all, bool shown)
    : all_{std::max<std::size_t>(all, 1)}, shown_{shown}, terminal_{isatty(STDERR_FILENO) != 0} {}

Progress::~Progress() {
  if (drawn_) say("\r\033[K");
}

std::string duration(double seconds) {
  if (seconds < 100.0) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<long>(seconds / 60.0 + 0.5);
  return minutes < 100 ? fmt::format("{} min", minutes)
                       : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string Progress::line(std::size_t done, std::size_t failed, double left) const {
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = spent > 0.0 ? static_cast<double>(done) / spent : 0.0;
  return fmt::format("{} of {}, {} failed, {:.1f} a second, {}", done, counted(all_, "point"), failed, rate,
                     left < 0.0 ? "time left isn't known yet" : "about " + duration(left) + " left");
}

bool Progress::is_due() const { return shown_ && (terminal_ || Clock::now() - printed_ >= kBetweenLines); }

void Progress::show(std::size_t done, std::size_t failed, double left) {
  if (!is_due()) return;
  const std::string text = line(done, failed, left);
  if (terminal_) {
    const std::size_t columns = report::terminal_width(STDERR_FILENO).value_or(kNarrow);
    const std::size_t filled = kWidth * std::min(done, all_) / all_;
    const std::string bar =
        fmt::format("[{}{}] ", std::string(filled, '#'), std::string(kWidth - filled, '.'));
    const bool wide = bar.size() + text.size() < columns;
    say("\r\033[K{}", ((wide ? bar : "") + text).substr(0, columns - 1));
    drawn_ = true;
  } else {
    printed_ = Clock::now();
    say("kbsim: {}\n", text);
  }
}

}  // namespace kbsim::sweep
