#pragma once

#include <functional>
#include <string>

#include <boost/json/object.hpp>

#include "kbsim/report/run_summary.hpp"

#include "commands.hpp"

namespace kbsim::app {

/// A run whose result its caller keeps: nothing is printed and nothing written.
struct KeptRun {
  /// Called before the simulation with everything that the result depends on besides the program and its
  /// plug-ins: the resolved configuration, bench and arguments. Returns false if the result isn't wanted.
  std::function<bool(const std::string& depends_on)> wanted;
  bool with_links = false;            // the document also has links.csv, for a bench with one simulation
  bool with_explanation = false;      // the document also has "explain", for a run with --explain
  boost::json::object document = {};  // as --json prints it
  report::RunSummary summary = {};
};

/// kbsim run with these arguments; plug-ins are loaded already and not among them.
ExitCode run_kept(const Arguments& arguments, KeptRun* run);

}  // namespace kbsim::app
