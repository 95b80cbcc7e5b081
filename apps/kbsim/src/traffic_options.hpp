#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/program_options/options_description.hpp>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/evaluate/uses.hpp"
#include "kbsim/hw/traffic/traffic.hpp"
#include "kbsim/signals/watchdog.hpp"
#include "kbsim/topology/traffic_pattern.hpp"

#include "machine_options.hpp"
#include "network_load.hpp"

namespace kbsim::app {

/// Options of `kbsim traffic` for traffic that it generates itself.
struct TrafficOptions {
  MachineOptions machine;
  std::string scope;
  NetworkLoad network;
  std::optional<std::string> arrivals;
  std::optional<double> load;
  std::optional<double> rate;
  bool sweep = false;
  std::string out;
  bool json = false;
  bool quiet = false;
  std::int64_t num_threads = 0;
  WatchdogLimit::Seconds watchdog{};
  std::optional<std::int64_t> seed;
  std::optional<std::uint64_t> shuffle_ties;
  hw::TrafficRequest request;
};

/// Fills `options` when a command line is parsed.
[[nodiscard]] boost::program_options::options_description describe(TrafficOptions& options);
extern const std::string kTrafficExamples;

/// Fills options.request from numbers and words of the options. UsageError if one is out of its range.
void fill_request(TrafficOptions& options);
/// UsageError unless one offered load is chosen.
void check_choice(const TrafficOptions& options);
/// The rate that was asked for, in packets per service time and source.
[[nodiscard]] double asked_rate(const TrafficOptions& options, const topology::TrafficCase& traffic);
/// Settings of the machine that this traffic doesn't use, with the reasons.
[[nodiscard]] evaluate::Uses uses_of(const TrafficOptions& options, const config::MachineSpec& spec);

}  // namespace kbsim::app
