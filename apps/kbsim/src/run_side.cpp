#include "run_side.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options/parsers.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/input_file.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/report/configuration_record.hpp"

#include "bench_options.hpp"
#include "machine_options.hpp"
#include "rerun.hpp"
#include "result_folder.hpp"

namespace kbsim::app {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

bool has_results(int exit) {
  return exit == static_cast<int>(ExitCode::ok) || exit == static_cast<int>(ExitCode::wrong_values);
}

bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

bool is_evaluation(const Arguments& command) {
  return evaluate::evaluations().find(bench_named(command)) != nullptr;
}

// Runs with causes if the run can give them, else without.
void run_into(const std::string& name, Arguments words, bool must) {
  const bool asks = !is_evaluation(words) && !is_given(words, "--explain");
  if (asks) words.emplace_back("--explain");
  int exit = run_again(words);
  if (exit == static_cast<int>(ExitCode::unsupported) && asks && must) {
    words.pop_back();
    exit = run_again(words);
  }
  if (must && !has_results(exit))
    throw Error{static_cast<ExitCode>(exit),
                fmt::format("{}: kbsim {} ended with exit code {}", name, fmt::join(words, " "), exit)};
}

std::map<std::string, std::string> options_in(const json::object& run) {
  std::map<std::string, std::string> all;
  const json::value* options = run.if_contains("options");
  if (options == nullptr || !options->is_object()) return all;
  for (const auto& [key, value] : options->get_object())
    all["--" + std::string{key}] =
        value.is_string() ? std::string{value.get_string()} : json::serialize(value);
  return all;
}

std::vector<explain::PathRecord> paths_of(const fs::path& folder) {
  const fs::path file = folder / "explain.json";
  return explain::paths_in(document_in(file), file.string());
}

std::string text_in(const fs::path& file) { return read_input(file, file.string()); }

using Keys = std::map<std::string, std::string>;

// "ccl.algorithms.NAME." of the last algorithm in the file; "" without algorithms.
std::string last_algorithm(const Keys& keys) {
  const std::string all = "ccl.algorithms.";
  std::string last;
  for (auto key = keys.lower_bound(all); key != keys.end() && key->first.starts_with(all); ++key)
    last = key->first.substr(0, key->first.find('.', all.size()) + 1);
  return last;
}

// The file isn't cut short: its last algorithm is there, with all keys that have a default.
bool is_whole(const Keys& keys) {
  const std::string defaults = "ccl.defaults.";
  const std::string last = last_algorithm(keys);
  return !last.empty() && std::ranges::all_of(keys, [&](const auto& each) {
    if (!each.first.starts_with(defaults) || each.first == defaults + "algorithm") return true;
    return keys.contains(last + each.first.substr(defaults.size()));
  });
}

// The file of kbsim traffic has no section `ccl`; that of recorded traces has no machine.
bool is_whole(const Keys& keys, const Arguments& command) {
  if (is_command(command, run_bench)) return is_whole(keys);
  return keys.contains(is_given(command, "--trace") ? "dram.outstanding" : "schema_version");
}

// The configuration, as a run writes it.
std::string configuration_in(const fs::path& file, const Arguments& command, const json::object& run) {
  std::string text = text_in(file);
  report::require_unchanged(run, text, file.string());
  try {
    const Keys keys = config::keys_of({.yaml = text, .name = file.string()});
    if (text.ends_with('\n') && is_whole(keys, command)) return text;
  } catch (const ConfigError&) {  // no YAML
  }
  throw UsageError{fmt::format("{}: isn't what a run wrote with --out", file.string())};
}

// Adds the run's causes, if repeating the run gives them.
void explain_again(RunSide& side, const Arguments& command, const fs::path& folder, const fs::path& scratch,
                   bool quiet) {
  if (!is_command(command, run_bench)) return;
  if (!quiet) say("{}: {} has no explain.json: it runs again for it\n", side.name, folder.string());
  run_into(side.name, repeated(command, folder / "config.resolved.yaml", scratch), false);
  if (!is_there(scratch / "explain.json")) return;
  const std::vector<sweep::Metric> again = sweep::metrics_in(text_in(scratch / "summary.json"));
  const bool same = std::ranges::equal(
      again, side.metrics,
      [](const sweep::Metric& a, const sweep::Metric& b) { return a.name == b.name && a.value == b.value; });
  if (!same)
    throw UsageError{
        fmt::format("{}: {} isn't what the same run gives now (kbsim check), and has no explain.json",
                    side.name, folder.string())};
  side.paths = paths_of(scratch);
  side.explained = true;
}

RunSide read_side(const std::string& name, const fs::path& folder, const Arguments& command) {
  (void)document_in(folder / "summary.json");
  const json::object run = document_in(folder / "run.json");
  RunSide side{.name = name,
               .command = fmt::format("kbsim {}", fmt::join(command, " ")),
               .configuration = configuration_in(folder / "config.resolved.yaml", command, run),
               .options = options_in(run),
               .metrics = sweep::metrics_in(text_in(folder / "summary.json"))};
  side.keeps_no_paths = is_evaluation(command);
  side.explained = is_there(folder / "explain.json");
  if (side.explained) side.paths = paths_of(folder);
  if (side.keeps_no_paths && side.paths.empty()) side.explained = false;
  return side;
}

// Divides text as a shell does.
Arguments words_in(const std::string& name, const std::string& arguments) {
  try {
    return boost::program_options::split_unix(arguments);
  } catch (const std::runtime_error& error) {
    throw UsageError{fmt::format("{}: '{}': {}", name, arguments, error.what())};
  }
}

}  // namespace

RunSide side_in(const std::string& name, const fs::path& folder, const fs::path& scratch, bool quiet) {
  const Arguments command = recorded_command(folder);
  RunSide side = read_side(name, folder, command);
  if (!side.explained && !side.keeps_no_paths) explain_again(side, command, folder, scratch, quiet);
  return side;
}

RunSide side_of(const std::string& name, const std::string& arguments, const fs::path& scratch) {
  Arguments words = words_in(name, arguments);
  if (is_command(words, run_bench)) words.erase(words.begin());
  for (const char* option : {"--out", "--json", "--dry-run", "--explain"}) {
    if (is_given(words, option)) throw UsageError{fmt::format("{}: {} is kbsim diff's matter", name, option)};
  }
  words.insert(words.begin(), "run");
  Arguments command = words;
  words.insert(words.end(), {"--out", scratch.string()});
  if (!is_given(words, "--quiet")) words.emplace_back("--quiet");
  run_into(name, words, true);
  return read_side(name, scratch, command);
}

}  // namespace kbsim::app
