#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "kbsim/app/bench.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/settings.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// The parts of a configuration that a bench, or an evaluation, uses, given its own options.
[[nodiscard]] evaluate::Uses uses_of(const Bench& bench, const RunOptions& options);
[[nodiscard]] evaluate::Uses uses_of(const std::string& name, const evaluate::Evaluation& evaluation,
                                     const OptionValues& own);

/// The configuration as it runs. UsageError if a setting has no effect.
[[nodiscard]] config::Configuration load(const RunOptions& options, const evaluate::Uses& uses);

/// Everything that the result depends on, as a text: options, the contents of files that they name, the
/// resolved configuration. `own`: the bench's options.
[[nodiscard]] std::string text_of(const RunOptions& options, const boost::json::object& own,
                                  const config::MachineSpec& machine, const config::CclSpec& ccl);

}  // namespace kbsim::app
