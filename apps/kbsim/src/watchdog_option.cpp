#include "watchdog_option.hpp"

#include <cmath>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::app {

void describe_watchdog(WatchdogLimit::Seconds& most, boost::program_options::options_description& to) {
  const auto set = [&most](double seconds) {
    if (!std::isfinite(seconds) || seconds <= 0.0)
      throw UsageError{fmt::format("--watchdog must be seconds above 0, got {}", seconds)};
    most = WatchdogLimit::Seconds{seconds};
  };
  to.add_options()(
      "watchdog", boost::program_options::value<double>()->value_name("S")->notifier(set),
      "end a run in which no event has ended for S seconds of wall time, for example because a kernel loops "
      "without a command (exit code 8); without this option stderr names the kernel after 10 s");
}

}  // namespace kbsim::app
