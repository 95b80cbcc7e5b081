#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/program_options.hpp>

#include "kbsim/base/options.hpp"
#include "kbsim/config/ccl_spec.hpp"

#include "machine_options.hpp"

namespace kbsim::evaluate {
struct Evaluation;
}

namespace kbsim::app {

struct Bench;

/// Inputs of a run: a bench of one simulation or an evaluation of many, on a machine. One of `single` and
/// `evaluation` is set, the other is null. Empty texts weren't given.
struct RunInputs {
  MachineOptions machine;  // with its --set overrides
  std::string bench;
  const Bench* single = nullptr;
  const evaluate::Evaluation* evaluation = nullptr;
  OptionValues own = {};  // the bench's own options, its sizes among them
  std::string algorithm;  // a name in the ccl file, or a plan's file
  std::optional<config::BufferKind> buffer_kind;
  std::string device;
  std::optional<std::uint64_t> shuffle_ties;  // the seed
  bool exact_packets = false;
  std::uint64_t num_threads = 0;  // 0: all of the host
};

/// The options of the inputs, in three blocks of the help page.
void describe_bench(RunInputs& inputs, boost::program_options::options_description& to);
void describe_events(RunInputs& inputs, boost::program_options::options_description& to);
void describe_threads(RunInputs& inputs, boost::program_options::options_description& to);

/// Takes the parsed values that need the bench: its own options. UsageError for a value that isn't allowed.
void take_values(const boost::program_options::variables_map& values, RunInputs& inputs);

}  // namespace kbsim::app
