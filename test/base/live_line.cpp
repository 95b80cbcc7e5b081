// A line of a terminal that is drawn again and again.
#include "kbsim/base/live_line.hpp"

#include <chrono>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace kbsim::live_line_test {
namespace {

using namespace std::chrono_literals;

// A terminal of 80 columns, and its clock.
struct Screen {
  LiveLine::Clock::time_point now{};
  bool in_foreground = true;
  std::vector<std::string> drawn;

  LiveLine::Terminal terminal() {
    return {.now = [this] { return now; },
            .columns = [] { return std::size_t{80}; },
            .in_foreground = [this] { return in_foreground; },
            .in_place = [this](std::string_view text) { drawn.emplace_back(text); }};
  }
  void tick_after(std::chrono::milliseconds passed) {
    now += passed;
    tick();
  }
};

std::string text_of(std::size_t columns, bool ticks) {
  return std::to_string(columns) + (ticks ? " ticks" : " drawn");
}

}  // namespace

TEST_CASE(
    "LiveLine: two seconds after its begin a tick draws it, then every half second; its end erases it") {
  Screen screen;
  std::optional<LiveLine> line{std::in_place, text_of, screen.terminal()};
  screen.tick_after(1999ms);
  CHECK(screen.drawn.empty());
  screen.tick_after(1ms);
  screen.tick_after(499ms);
  CHECK(screen.drawn == std::vector<std::string>{"80 ticks"});
  screen.tick_after(1ms);
  CHECK(screen.drawn == std::vector<std::string>{"80 ticks", "80 ticks"});
  line.reset();
  CHECK(screen.drawn == std::vector<std::string>{"80 ticks", "80 ticks", ""});
  screen.tick_after(5s);
  CHECK(screen.drawn.size() == 3);
}

TEST_CASE("LiveLine: draw() draws at once, and ticks again two seconds later") {
  Screen screen;
  LiveLine line{text_of, screen.terminal()};
  line.draw();
  CHECK(screen.drawn == std::vector<std::string>{"80 drawn"});
  screen.tick_after(1999ms);
  CHECK(screen.drawn.size() == 1);
  screen.tick_after(1ms);
  CHECK(screen.drawn == std::vector<std::string>{"80 drawn", "80 ticks"});
}

TEST_CASE("LiveLine: in the background no tick draws") {
  Screen screen;
  const LiveLine line{text_of, screen.terminal()};
  screen.in_foreground = false;
  screen.tick_after(10s);
  CHECK(screen.drawn.empty());
  screen.in_foreground = true;
  screen.tick_after(500ms);
  CHECK(screen.drawn.size() == 1);
}

TEST_CASE("LiveLine: of two the first is drawn; without a terminal none") {
  Screen screen;
  Screen other;
  {
    const LiveLine nowhere{text_of, std::nullopt};
    LiveLine line{text_of, screen.terminal()};
    LiveLine inner{text_of, other.terminal()};
    inner.draw();
    line.draw();
  }
  CHECK(screen.drawn == std::vector<std::string>{"80 drawn", ""});
  CHECK(other.drawn.empty());
}

TEST_CASE("LiveLine: a tick without memory for a text does nothing") {
  Screen screen;
  const LiveLine line{[](std::size_t, bool) -> std::string { throw std::bad_alloc{}; }, screen.terminal()};
  screen.tick_after(3s);
  CHECK(screen.drawn.empty());
}

}  // namespace kbsim::live_line_test
