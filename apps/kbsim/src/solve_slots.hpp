#pragma once

#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/sweep/enough.hpp"

#include "trials.hpp"

namespace kbsim::app {

/// Number of slots that a collective algorithm needs, and number beyond which more don't help.
struct SlotsAnswer {
  std::string key;  // of the slots
  std::string metric;
  std::string unit;
  sweep::Enough found;
  bool interrupted = false;
};
/// UsageError if the run has no single algorithm, or several rows. A run that fails, but isn't stuck, throws
/// its error.
[[nodiscard]] SlotsAnswer slots_of(Trials& trials, const Arguments& run, const std::string& metric);

[[nodiscard]] std::string to_text(const SlotsAnswer& answer);
[[nodiscard]] boost::json::object to_json(const SlotsAnswer& answer);
/// One row per run.
[[nodiscard]] boost::json::array rows_of(const SlotsAnswer& answer);

}  // namespace kbsim::app
