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

// Options that say what a run writes. They change no row.
struct Output {
  std::string_view name;
  bool again = true;   // a run that is repeated makes it again
  bool of_one = true;  // many runs have no such output
};
constexpr auto kOutputs = std::to_array<Output>({
    {.name = "out", .again = false},
    {.name = "json", .again = false},
    {.name = "no-report"},
    {.name = "quiet", .again = false, .of_one = false},
    {.name = "verbose", .again = false, .of_one = false},
    {.name = "wide", .again = false},
    {.name = "color", .again = false, .of_one = false},
    {.name = "dry-run", .again = false},
    {.name = "oplog"},
    {.name = "chakra"},
    {.name = "trace"},
    {.name = "trace-dir"},
    {.name = "trace-window"},
    {.name = "trace-units"},
    {.name = "trace-unit"},
    {.name = "trace-packets"},
    {.name = "trace-limit"},
    {.name = "dump-queues", .again = false},
    {.name = "explain", .of_one = false},
    {.name = "of", .again = false, .of_one = false},
    {.name = "recheck", .again = false},
    {.name = "no-try", .again = false, .of_one = false},
    {.name = "profile-self", .again = false},
    {.name = "parallel-bound"},
});

const Output* output_named(std::string_view name) {
  const auto* const found = std::ranges::find(kOutputs, name, &Output::name);
  return found == kOutputs.end() ? nullptr : found;
}

// The option's file name in that folder; "" for an option that names no file.
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

std::vector<std::string> outputs_of_one_run() {
  std::vector<std::string> all;
  for (const Output& output : kOutputs) {
    if (output.of_one) all.push_back("--" + std::string{output.name});
  }
  return all;
}

Arguments without_outputs(const Arguments& run) {
  const std::string bench = bench_named(run);
  Arguments words;
  for (const GivenOption& option : given_options(run)) {
    if (output_named(option.name) == nullptr && !is_output_of_bench(option.name, bench))
      std::ranges::copy(option.words, std::back_inserter(words));
  }
  return words;
}

Arguments with_outputs_in(const Arguments& run, const std::string& out) {
  const std::string bench = bench_named(run);
  Arguments words;
  for (const GivenOption& option : given_options(run)) {
    const Output* const output = output_named(option.name);
    if ((output != nullptr && !output->again) || is_output_of_bench(option.name, bench)) continue;
    if (const std::string file = in_folder(option, out); !file.empty())
      words.insert(words.end(), {"--" + option.name, file});
    else
      std::ranges::copy(option.words, std::back_inserter(words));
  }
  return words;
}

}  // namespace kbsim::app
