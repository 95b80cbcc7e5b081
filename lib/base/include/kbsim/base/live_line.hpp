#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kbsim {

/// A line in place on a terminal, which is drawn again every half second while somebody calls tick(), from
/// two seconds after its begin or its last draw() on. Its end erases it. Of several that live at one time
/// the first is drawn. In the background of its terminal a process ticks without effect.
class LiveLine {
 public:
  using Clock = std::chrono::steady_clock;
  /// A text of fewer characters than there are columns. `ticks`: it is asked for by a tick. On any thread,
  /// one at a time.
  using Text = std::function<std::string(std::size_t columns, bool ticks)>;
  /// A terminal and its clock; a test has its own.
  struct Terminal {
    std::function<Clock::time_point()> now;
    std::function<std::size_t()> columns;
    std::function<bool()> in_foreground;
    std::function<void(std::string_view)> in_place;
  };

  /// Without a terminal nothing is drawn.
  LiveLine(Text text, std::optional<Terminal> terminal);
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  /// At once.
  void draw();

 private:
  friend void tick() noexcept;
  void tick_at(Clock::time_point now);
  void show(bool ticks);

  Text text_;
  Terminal terminal_{};
  Clock::time_point due_{};
};

/// Draws the line that lives, if it is due. Costs next to nothing while none lives, and a look at the clock
/// else: for whoever works for long, each 10 us or more.
void tick() noexcept;

}  // namespace kbsim
