#pragma once

#include <boost/program_options/options_description.hpp>

#include "kbsim/signals/watchdog.hpp"

namespace kbsim::app {

/// --watchdog, of every command that runs the user's programs or components in a simulation.
void describe_watchdog(WatchdogLimit::Seconds& most, boost::program_options::options_description& to);

}  // namespace kbsim::app
