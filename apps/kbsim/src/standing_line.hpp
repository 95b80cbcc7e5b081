#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kbsim/base/live_line.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/standing_text.hpp"
#include "kbsim/report/terminal.hpp"

namespace kbsim::app {

/// Shows the progress of the process's only simulation during its lifetime: on a terminal, from the third
/// second on.
class StandingLine {
 public:
  struct How {
    bool shown = true;
    std::chrono::steady_clock::time_point start{};  // of its wall time
    std::string counted = "events";                 // unit of what report_simulated() reports
  };
  explicit StandingLine(const How& how)
      : start_{how.start},
        text_{how.counted},
        line_{[this](std::size_t columns, bool) {
                return text_(standing(), std::chrono::steady_clock::now() - start_, columns);
              },
              how.shown ? report::terminal_of_stderr() : std::nullopt} {}

 private:
  std::chrono::steady_clock::time_point start_;
  StandingText text_;
  LiveLine line_;
};

}  // namespace kbsim::app
