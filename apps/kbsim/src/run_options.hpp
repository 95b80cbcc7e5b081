#pragma once

#include <string>

#include <boost/program_options.hpp>

#include "commands.hpp"
#include "run_inputs.hpp"
#include "run_outputs.hpp"
#include "run_watch.hpp"

namespace kbsim::app {

/// A command line of kbsim run: what runs, where its results go, how it is watched.
struct RunOptions {
  RunInputs inputs;
  RunOutputs outputs;
  RunWatch watch;
};

/// The options of kbsim run, without those of its bench.
[[nodiscard]] boost::program_options::options_description description(RunOptions& options);

/// Reads the arguments of kbsim run; its plug-ins are loaded, as soon as they are parsed at the latest.
/// Throws the command's Help, and UsageError for a bench or an option that isn't known, a value that isn't
/// allowed and an output without effect.
[[nodiscard]] RunOptions parse_run(const Arguments& given);

/// True if spans, and causes if possible, are kept for the page of --out.
[[nodiscard]] bool is_recorded(const RunOptions& options);

}  // namespace kbsim::app
