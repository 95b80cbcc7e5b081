// Arguments of kbsim run, option by option.
#include "run_words.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include <boost/program_options.hpp>

#include "bench_options.hpp"
#include "run_options.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

constexpr std::array<std::string_view, 21> kOutputs{
    "out",        "json",          "no-report",     "quiet",       "verbose",      "dry-run",
    "oplog",      "chakra",        "trace",         "trace-dir",   "trace-window", "trace-units",
    "trace-unit", "trace-packets", "trace-limit",   "dump-queues", "explain",      "of",
    "recheck",    "profile-self",  "parallel-bound"};

// The outputs that aren't made again; those that shape a file stay with it.
constexpr std::array<std::string_view, 9> kAskedOnce{
    "out", "json", "quiet", "verbose", "dry-run", "recheck", "of", "profile-self", "dump-queues"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The name of the same file in that folder; "" of an option that names none.
std::string in_folder(const GivenOption& option, const std::filesystem::path& out) {
  if (option.name == "oplog") return (out / "run.oplog").string();
  if (option.name == "trace")
    return (out / "run_trace").string() + std::filesystem::path{option.value()}.extension().string();
  if (option.name == "trace-dir") return (out / "run_traces").string();
  if (option.name == "chakra") return (out / "run_chakra").string();
  return "";
}

}  // namespace

std::string GivenOption::value() const {
  if (words.size() > 1) return words.back();
  const std::size_t equals = words.front().find('=');
  return equals == std::string::npos ? "" : words.front().substr(equals + 1);
}

std::string GivenOption::as_given() const {
  const std::string& word = words.front();
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

std::vector<GivenOption> given_options(const Arguments& run) try {
  RunOptions unused;
  po::options_description all = description(unused);
  all.add(to_description(options_of_bench(bench_named(run))));
  const po::parsed_options parsed =
      po::command_line_parser(run)
          .options(all)
          .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
          .allow_unregistered()
          .run();
  std::vector<GivenOption> given;
  for (const po::option& option : parsed.options)
    given.push_back({.name = option.string_key, .words = option.original_tokens});
  return given;
} catch (const po::error&) {  // the run's own parser says what is wrong
  std::vector<GivenOption> words;
  for (const std::string& word : run) words.push_back({.name = "", .words = {word}});
  return words;
}

bool is_output_of_bench(std::string_view name, std::string_view bench) {
  return std::ranges::any_of(options_of_bench(std::string{bench}).options, [&](const Option& option) {
    return !option.shapes_rows && option.long_name() == name;
  });
}

Arguments without_outputs(const Arguments& run) {
  const std::string bench = bench_named(run);
  Arguments words;
  for (const GivenOption& option : given_options(run)) {
    if (!is_one_of(kOutputs, option.name) && !is_output_of_bench(option.name, bench))
      std::ranges::copy(option.words, std::back_inserter(words));
  }
  return words;
}

Arguments with_outputs_in(const Arguments& run, const std::string& out) {
  const std::string bench = bench_named(run);
  Arguments words;
  for (const GivenOption& option : given_options(run)) {
    if (is_one_of(kAskedOnce, option.name) || is_output_of_bench(option.name, bench)) continue;
    if (const std::string file = in_folder(option, out); !file.empty())
      words.insert(words.end(), {"--" + option.name, file});
    else
      std::ranges::copy(option.words, std::back_inserter(words));
  }
  return words;
}

}  // namespace kbsim::app
