#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kbsim {

/// A line in place on a terminal. tick() draws it again every half second, from two seconds after its begin
/// or its last draw() on. Its end erases it. If several live at one time, the first is drawn. A process in
/// the background of its terminal draws nothing.
class LiveLine {
 public:
  using Clock = std::chrono::steady_clock;
  /// A text of fewer characters than there are columns. `ticks`: a tick asks for it. Called on any thread,
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

  /// Draws at once.
  void draw();

 private:
  friend void tick() noexcept;
  void tick_at(Clock::time_point now);
  void show(bool ticks);

  Text text_;
  Terminal terminal_{};
  Clock::time_point due_{};
};

/// Draws the line that lives, if it is due. Costs next to nothing while none lives, otherwise a look at the
/// clock. Long work calls it at intervals of 10 us or more.
void tick() noexcept;

}  // namespace kbsim
