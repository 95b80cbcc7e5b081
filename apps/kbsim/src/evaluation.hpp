#pragma once

#include <functional>
#include <string>

#include <boost/json/array.hpp>

#include "kbsim/base/registry.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

#include "output_folder.hpp"
#include "parallel.hpp"

namespace kbsim::app {

/// What an evaluation is asked to do.
struct EvaluationRequest {
  const config::MachineSpec& machine;
  const config::CclSpec& ccl;
  Parallel parallel;
};

/// What it found: a row a simulation, of numbers and words, from which everything else is made.
using Rows = boost::json::array;

struct Simulated {
  Rows rows;
  bool whole = true;  // false: Ctrl-C, and these are the rows of what had ended
};

/// Many simulations that answer one question together. Its text and its figures are made of its rows alone,
/// so that they can be made again from those of an earlier run.
struct Evaluation {
  std::string doc;
  std::function<Simulated(const EvaluationRequest&)> run;
  std::function<std::string(const Rows&)> text;                   // tables for people
  std::function<void(const Rows&, const OutputFolder&)> figures;  // with their data beside them
};
[[nodiscard]] Registry<Evaluation>& evaluations();

}  // namespace kbsim::app
