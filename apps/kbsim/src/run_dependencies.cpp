// Everything that the result of a run depends on.
#include "run_dependencies.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/input_file.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"

#include "bench_options.hpp"

namespace kbsim::app {
namespace {

std::string contents_named(const std::string& file) { return read_input(file, file); }

// The contents of the execution traces in a folder.
std::string traces_in(const std::string& folder) {
  std::set<std::string> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator{folder, ignored}) {
    if (entry.path().extension() == ".et") files.insert(entry.path().string());
  }
  std::string text;
  for (const std::string& file : files) text += contents_named(file);
  return text;
}

// The contents of files that options name, as an evaluation's model, or of a folder of execution traces.
std::string files_named(const OptionSet& options, const OptionValues& own) {
  std::string text;
  for (const Option& option : options.options) {
    const bool folder = option.value == "DIR";
    if ((!folder && option.value != "FILE") || !own.given(option.long_name())) continue;
    const std::string named = std::get<std::string>(own.value(option.long_name()));
    text += fmt::format("{}\n{}\n", option.long_name(), folder ? traces_in(named) : contents_named(named));
  }
  return text;
}

// The contents of a plan's file.
std::string plan_text(const std::string& algorithm) {
  return inputs::names_plan_file(algorithm) ? read_input(algorithm, algorithm) : "";
}

std::string text_of(const RunOptions& options, const boost::json::object& own,
                    const config::MachineSpec& machine, const config::CclSpec& ccl) {
  const auto& [inputs, outputs, watch] = options;
  const boost::json::object flags{{"bench", inputs.bench},
                                  {"options", own},
                                  {"algorithm", inputs.algorithm},
                                  {"buffer-kind", inputs.buffer_kind ? to_string(*inputs.buffer_kind) : ""},
                                  {"device", inputs.device},
                                  {"verify-data", watch.verify_data},
                                  {"timing-only", watch.timing_only},
                                  {"shuffle-ties", inputs.shuffle_ties.value_or(0)},
                                  {"stop-at", watch.stop_at_ns.value_or(-1.0)},
                                  {"max-sim-time", watch.max_sim_time_ns.value_or(-1.0)},
                                  {"max-events", watch.max_events.value_or(0)},
                                  {"race", watch.race ? static_cast<int>(*watch.race) : -1},
                                  {"links", outputs.kept->with_links},
                                  {"explain", watch.explain},
                                  {"explanation", outputs.kept->with_explanation}};
  return fmt::format("{}\n{}{}", boost::json::serialize(flags),
                     files_named(options_of_bench(inputs.bench), inputs.own) + plan_text(inputs.algorithm),
                     config::resolved_compactly(machine, ccl, hw::ModelCatalog{}));
}

}  // namespace

bool is_wanted(const RunOptions& options, const boost::json::object& own, const config::MachineSpec& machine,
               const config::CclSpec& ccl) {
  const KeptRun* const kept = options.outputs.kept;
  return kept == nullptr || kept->wanted(text_of(options, own, machine, ccl));
}

}  // namespace kbsim::app
