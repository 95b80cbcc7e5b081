// The files that a run will write, checked before it runs.
#include "run_outputs.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "kbsim/base/output_place.hpp"
#include "kbsim/inputs/chakra/trace.hpp"
#include "kbsim/report/output_folder.hpp"

namespace kbsim::app {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && output_place(a) == output_place(b);
}

}  // namespace

void require_outputs(const RunOptions& options) {
  const report::OutputPlan plan{.out = options.out, .json = options.json};
  if (!options.oplog.empty()) report::require_output("--oplog", options.oplog, plan);
  if (!options.trace.file.empty()) report::require_output("--trace", options.trace.file, plan);
  for (const std::string& trace : {options.trace.file, options.trace.folder}) {
    if (is_same_file(options.oplog, trace))
      throw UsageError{fmt::format("--oplog {}: the trace has that name", options.oplog)};
  }
  if (!options.chakra.empty()) inputs::chakra::require_traces();
  report::require_folder("--chakra", options.chakra);
  report::require_folder("--trace-dir", options.trace.folder);
  report::require_folder(options.out);
}

std::vector<std::string> files_of(const RunOptions& options, const report::RunTrace& trace,
                                  const std::vector<std::string>& in_out) {
  std::vector<std::string> files = trace.files();
  if (!options.out.empty()) {
    for (const std::string& name : in_out) files.push_back(options.out + "/" + name);
  }
  if (!options.oplog.empty()) files.push_back(options.oplog);
  if (!options.chakra.empty()) files.push_back(fmt::format("{}/{}.RANK.et", options.chakra, options.bench));
  return files;
}

ExitCode show(const RunOptions& options, const Plan& plan) {
  if (!options.json) fmt::print("{}", to_text(plan));
  (void)std::fflush(stdout);
  return ExitCode::ok;
}

}  // namespace kbsim::app
