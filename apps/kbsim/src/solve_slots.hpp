#pragma once

#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/sweep/enough.hpp"

#include "trials.hpp"

namespace kbsim::app {

/// How many slots a collective algorithm needs, and how many help it.
struct SlotsAnswer {
  std::string key;  // of the slots
  std::string metric;
  std::string unit;
  sweep::Enough found;
  bool interrupted = false;
};
/// UsageError if the run has no single algorithm, or several rows; the error of a run that fails otherwise
/// than by being stuck.
[[nodiscard]] SlotsAnswer slots_of(Trials& trials, const Arguments& run, const std::string& metric);

[[nodiscard]] std::string to_text(const SlotsAnswer& answer);
[[nodiscard]] boost::json::object to_json(const SlotsAnswer& answer);
/// What was run.
[[nodiscard]] boost::json::array rows_of(const SlotsAnswer& answer);

}  // namespace kbsim::app
