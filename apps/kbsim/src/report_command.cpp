// kbsim report, and report.html of a run: a folder of results as one page.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/input_file.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/machine_figures.hpp"
#include "kbsim/evaluate/run_evaluation.hpp"
#include "kbsim/explain/path_question.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/page/report_page.hpp"
#include "kbsim/report/machine_report.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/signals/watchdog.hpp"

#include "commands.hpp"
#include "help.hpp"
#include "out_page.hpp"
#include "parse_options.hpp"
#include "plugins.hpp"
#include "result_folder.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

std::string drawing_of(const fs::path& resolved) {
  std::vector<std::string> notes;
  const config::LoadRequest request{
      .file = resolved.string(), .overrides = {}, .catalog = hw::ModelCatalog{}, .folders = {}};
  const auto spec = std::make_shared<const config::MachineSpec>(config::load_machine(request, &notes));
  const topology::Graph graph = topology::compile(spec);
  const topology::Figures figures = evaluate::figures_of(graph);
  return report::to_svg({.graph = graph, .figures = figures, .summary = topology::summarize(graph, figures)},
                        report::SvgNames::all);
}

// The NOCs of a chip (kbsim traffic --trace) have no drawing. A run writes the file, one key per line.
bool is_machine(const fs::path& resolved) {
  constexpr std::string_view kKey = "\nschema_version:";
  return ("\n" + read_input(resolved, resolved.string())).find(kKey) != std::string::npos;
}

// A model may belong to a plug-in that isn't loaded now.
page::RunFolder run_at(const fs::path& path) {
  const fs::path resolved = path / "config.resolved.yaml";
  std::error_code error;
  if (!fs::exists(resolved, error)) return {.path = path};
  try {
    if (!is_machine(resolved)) return {.path = path};
    return {.path = path, .drawing = drawing_of(resolved)};
  } catch (const Error& why) {
    return {.path = path, .no_drawing = why.what()};
  }
}

// Drawings of machines, each made once.
class Drawings {
 public:
  /// The index of a drawing; none if there is none.
  std::optional<std::size_t> add(const std::string& drawing) {
    if (drawing.empty()) return std::nullopt;
    const auto known = std::ranges::find(all_, drawing);
    if (known == all_.end()) return all_.push_back(drawing), all_.size() - 1;
    return static_cast<std::size_t>(known - all_.begin());
  }
  /// The same for the machine in a file, which may be that of another file.
  std::optional<std::size_t> of(const fs::path& resolved) {
    const auto [known, added] = by_text_.try_emplace(read_input(resolved, resolved.string()));
    if (added) known->second = add(run_at(resolved.parent_path()).drawing);
    return known->second;
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> all_;
  std::map<std::string, std::optional<std::size_t>> by_text_;
};

page::RunFolder folder_at(const fs::path& path) {
  page::RunFolder run = run_at(path);
  Drawings drawings;
  for (const std::size_t row : report::rows_in(path)) {
    const fs::path resolved = path / report::row_folder(row) / "config.resolved.yaml";
    std::error_code error;
    const bool own = fs::exists(resolved, error);
    run.rows.push_back({.row = row, .drawing = own ? drawings.of(resolved) : drawings.add(run.drawing)});
  }
  run.drawings = drawings.take();
  return run;
}

void write_page(const fs::path& path, const std::optional<fs::path>& against, const fs::path& file) {
  const int before = last_stop_signal();  // an interrupted run gets a page, too
  std::optional<StopSignals> signals;     // without them a signal here would leave half a file
  if (before == 0) signals.emplace();
  const page::RunFolder run = folder_at(path);
  const page::RunFolder other = against ? folder_at(*against) : page::RunFolder{};
  const auto require_going_on = [&] {
    if (last_stop_signal() != before)
      throw Interrupted{fmt::format("interrupted: {} isn't written", file.string())};
  };
  std::string text;
  page::write_report(run, against ? &other : nullptr, [&](std::string_view piece) {
    require_going_on();
    text += piece;
  });
  require_going_on();
  report::write_file(file, text);
}

void write_page(const std::string& out) { write_page(out, std::nullopt, fs::path{out} / "report.html"); }

void note_failure(const std::string& out, ExitCode code, const std::string& error) {
  const auto& all = exit_meanings();
  const int status = exit_status(code);
  const auto meaning = std::ranges::find(all, status, &ExitMeaning::code);
  const boost::json::object failure{{"schema_version", 1},
                                    {"exit_code", status},
                                    {"meaning", meaning == all.end() ? "" : meaning->means},
                                    {"error", error}};
  report::write_file(fs::path{out} / "failure.json", boost::json::serialize(failure) + "\n");
}

// For a run that had begun. Errors here are only printed: the run's own error matters more.
void write_failed(const std::string& out, const Error& error, bool with_page) {
  if (!report::is_partial(fs::path{out} / "run.json")) return;
  try {
    note_failure(out, error.exit_code(), error.what());
    if (with_page) write_page(out);
  } catch (const Error& also) {
    say("kbsim: {}\n", also.what());
  }
}

struct ReportOptions {
  std::string dir;
  std::string against;
  std::string out;
  bool quiet = false;
};

constexpr std::string_view kReportExamples = R"(
examples:
  kbsim --topology topology.yaml --bench ccl_allreduce --out now
  kbsim report now
  kbsim report now --against before --out difference.html
)";

void parse(const Arguments& arguments, ReportOptions& o) {
  po::options_description all{"options of kbsim report"};
  auto add = all.add_options();
  add("dir", po::value(&o.dir)->value_name("DIR")->required(), "the folder that a run wrote with --out");
  add("against", po::value(&o.against)->value_name("DIR"),
      "another run's folder: the page shows both, and their differences");
  add("out", po::value(&o.out)->value_name("FILE"), "write the page there (default: DIR/report.html)");
  add("quiet", po::bool_switch(&o.quiet), "print no names of written files on stderr");
  describe_plugins(all);
  parse_options(
      arguments, all,
      {.usage = "kbsim report DIR [options]", .examples = std::string{kReportExamples}, .positional = "dir"});
}

void require_run_folder(const std::string& dir) {
  require_results(dir);
  if (is_sweep(dir))
    throw UsageError{fmt::format("{}: is of a sweep: kbsim sweep merge {} writes its report.html", dir, dir)};
}

}  // namespace

void write_report_page(const std::string& out) { write_page(out); }

ExitCode with_page(const RunOutputs& outputs, const std::function<ExitCode()>& run) {
  if (!has_folder(outputs)) return run();
  const bool page = has_page(outputs);
  const BeforeWatchdogEnds fails{
      [&](const std::string& hang) { write_failed(outputs.out, Error{ExitCode::deadlock, hang}, page); }};
  try {
    const ExitCode code = run();
    if (code != ExitCode::ok) note_failure(outputs.out, code, "");
    if (page) write_page(outputs.out);
    return code;
  } catch (const explain::NothingAsked&) {
    if (page) write_page(outputs.out);
    throw;
  } catch (const evaluate::RowsMissing& missing) {
    write_failed(outputs.out, missing, page);
    throw;
  } catch (const Error& error) {  // one that was refused has left the folder as it was
    if (!is_refusal(error.exit_code())) write_failed(outputs.out, error, page);
    throw;
  }
}

ExitCode report_folder(const Arguments& arguments) {
  ReportOptions options;
  parse(arguments, options);
  require_run_folder(options.dir);
  if (!options.against.empty()) require_run_folder(options.against);
  const fs::path file = options.out.empty() ? fs::path{options.dir} / "report.html" : fs::path{options.out};
  report::require_writable(file);
  write_page(options.dir, options.against.empty() ? std::nullopt : std::optional<fs::path>{options.against},
             file);
  if (!options.quiet) report::say_written(file);
  return ExitCode::ok;
}

}  // namespace kbsim::app
