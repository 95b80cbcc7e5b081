#include "kbsim/report/output_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/model_version.hpp"
#include "kbsim/base/output_place.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/base/unwritable.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/report/configuration_record.hpp"
#include "kbsim/report/gnuplot.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/signals/watchdog.hpp"

namespace kbsim::report {
namespace {

constexpr const char* kPartial = "PARTIAL";
constexpr std::string_view kPartialText =
    "The run that writes here hasn't ended, was interrupted or failed: the files beside this one have what "
    "had "
    "ended until then, or are an earlier run's.\n";

constexpr const char* kLock = ".kbsim.lock";
constexpr const char* kEarlier = ".kbsim.earlier";  // files of an earlier run, while another one runs
constexpr std::array kOwn{
    "summary.json",     "summary.csv",   "results.csv",  "links.csv",    "units.csv",
    "orders.csv",       "launches.csv",  "memory.csv",   "run.json",     "config.resolved.yaml",
    "correlation.json", "deadlock.json", "deadlock.dot", "explain.json", "spans.json",
    "failure.json",     "report.html",   "network.json", kLock,          kPartial};

constexpr const char* kRows = "rows";
constexpr std::array<std::string_view, 5> kOfRow{"explain.json", "spans.json", "config.resolved.yaml",
                                                 "links.csv", "units.csv"};

// The number of a row's folder; none for another name.
std::optional<std::size_t> row_named(std::string_view name) {
  std::size_t row = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), row);
  const bool whole = error == std::errc{} && end == name.data() + name.size();
  return whole && row > 0 && !name.starts_with('0') ? std::optional{row} : std::nullopt;
}

bool is_row(const std::filesystem::directory_entry& folder) {
  std::error_code error;
  if (!row_named(folder.path().filename().string()) || !folder.is_directory(error) ||
      folder.is_symlink(error))
    return false;
  return std::ranges::all_of(std::filesystem::directory_iterator{folder.path(), error}, [](const auto& file) {
    const std::string name = file.path().filename().string();
    return std::ranges::find(kOfRow, name) != kOfRow.end() || is_temporary(name);
  });
}

// Whether an evaluation has made this folder: all in it is a row's.
bool is_rows_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::symlink_status(folder, error).type() != std::filesystem::file_type::directory)
    return false;
  return std::ranges::all_of(std::filesystem::directory_iterator{folder, error}, is_row);
}

std::filesystem::path made(std::filesystem::path folder) {
  require_folder("--out", folder);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UsageError{fmt::format("--out {}: {}", folder.string(), why_unwritable(folder, error))};
  return folder;
}

// Whether the run creates the folder before it writes the file.
bool is_in_new_folder(const std::filesystem::path& file, const std::string& folder) {
  std::error_code error;
  if (folder.empty() || std::filesystem::exists(folder, error)) return false;
  const auto made_later = std::filesystem::absolute(folder / std::filesystem::path{}).lexically_normal();
  return std::filesystem::absolute(file).lexically_normal().parent_path() == made_later.parent_path();
}

// Visits files of a run, links to such, and the folder of its rows; never other folders or devices of these
// names.
template <class Do>
void each_own(const std::filesystem::path& folder, const Do& act) {
  using enum std::filesystem::file_type;
  std::error_code ignored;
  for (const std::string_view name : kOwn) {
    const std::filesystem::path file = folder / name;
    const auto type = std::filesystem::symlink_status(file, ignored).type();
    if (name != kLock && (type == regular || type == symlink)) act(file);
  }
  if (is_rows_folder(folder / kRows)) act(folder / kRows);
}

// Moves all that can be moved; returns the first error.
std::error_code move_own(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code first;
  each_own(from, [&](const auto& file) {
    std::error_code error;
    std::filesystem::rename(file, to / file.filename(), error);
    if (error && !first) first = error;
  });
  return first;
}

void remove_own(const std::filesystem::path& folder) {
  std::error_code ignored;
  each_own(folder, [&](const auto& file) { std::filesystem::remove_all(file, ignored); });
}

void drop_earlier(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder / kEarlier, ignored);
}

// Moves all files or none: on a full file system there may be no room for a folder.
void set_aside(const std::filesystem::path& folder) {
  drop_earlier(folder);
  const std::filesystem::path aside = folder / kEarlier;
  std::error_code error;
  std::filesystem::create_directory(aside, error);
  if (!error) error = move_own(folder, aside);
  if (!error) return;
  (void)move_own(aside, folder);
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  throw UsageError{fmt::format("--out {}: an earlier run's files stay: {}", folder.string(),
                               why_unwritable(aside, error))};
}

// Does nothing if the run has dropped the earlier files.
void give_back(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / kEarlier, ignored)) return;
  remove_own(folder);
  (void)move_own(folder / kEarlier, folder);
}

// The folder itself, or a file that a run writes into it.
bool is_own_file(const std::filesystem::path& file, const std::string& folder) {
  if (folder.empty()) return false;
  const std::filesystem::path out = output_place(folder);
  const std::filesystem::path there = output_place(file);
  return there == out ||
         (there.parent_path() == out && std::ranges::find(kOwn, there.filename().string()) != kOwn.end()) ||
         there == out / kRows || there.parent_path().parent_path() == out / kRows;
}

}  // namespace

OutputFolder::OutputFolder(std::filesystem::path path) : path_{made(std::move(path))}, lock_{path_} {}

bool is_partial(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file.parent_path() / kPartial, error);
}

std::unique_ptr<OutputFolder> folder_named(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFolder>(path);
}

std::string row_folder(std::size_t row) { return fmt::format("{}/{}", kRows, row); }

std::vector<std::size_t> rows_in(const std::filesystem::path& folder) {
  std::vector<std::size_t> rows;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{folder / kRows, error}) {
    if (const auto row = row_named(entry.path().filename().string())) rows.push_back(*row);
  }
  std::ranges::sort(rows);
  return rows;
}

void OutputFolder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path folder = (path_ / name).parent_path();
  std::error_code error;
  if (folder != path_) std::filesystem::create_directories(folder, error);
  if (error) throw UsageError{fmt::format("--out {}: {}", folder.string(), why_unwritable(folder, error))};
  write_file(path_ / name, as_utf8(text));
}

void OutputFolder::write(const std::string& name, const boost::json::value& json) const {
  write_file(path_ / name, json_as_utf8(boost::json::serialize(json)) + "\n");
}

void OutputFolder::write_pieces(const std::string& name,
                                const std::function<void(const FileSink&)>& write) const {
  write_file(path_ / name, write);
}

void OutputFolder::remove(const std::string& name) const {
  std::error_code ignored;
  std::filesystem::remove(path_ / name, ignored);
}

ExitCode OutputFolder::during_run(const std::function<ExitCode()>& run) const {
  const StopSignals signals;  // a signal that ended the process here would leave the earlier files hidden
  const BeforeWatchdogEnds drops{[this](const std::string&) { drop_earlier(path_); }};
  set_aside(path_);
  try {
    write(kPartial, std::string{kPartialText});
    const ExitCode code = run();
    drop_earlier(path_);
    return code;
  } catch (const Error& error) {
    if (is_refusal(error.exit_code())) give_back(path_);
    drop_earlier(path_);
    throw;
  } catch (...) {
    drop_earlier(path_);
    throw;
  }
}

void OutputFolder::draw(const std::string& name, const std::string& script) const {
  write(name, script);
  const std::string file = (path_ / name).string();
  if (stop_signal() == 0) {
    if (!report::draw(file))
      say("kbsim: gnuplot isn't installed (apt-get install gnuplot-nox), so {} is not drawn\n", file);
    return;
  }
  say("kbsim: interrupted: {} is not drawn\n", file);
  for (const char* picture : {".png", ".svg"})
    remove(std::filesystem::path{name}.replace_extension(picture).string());
}

void OutputFolder::draw(const Figure& figure) const {
  write(figure.name + ".csv", figure.data);
  draw(figure.name + ".gp", figure.script);
}

void OutputFolder::write_run(const RunRecord& run, const RunSummary& summary) const {
  boost::json::array words{"kbsim"};
  words.emplace_back(run.command);
  for (const std::string& word : run.arguments) words.emplace_back(word);
  boost::json::object all{{"schema_version", 1},
                          {"version", KBSIM_VERSION},
                          {"model_version", kModelVersion},
                          {"command", std::move(words)}};
  if (run.seed) all["seed"] = *run.seed;
  if (!run.options.empty()) all["options"] = run.options;
  if (!run.whole) all["interrupted"] = true;
  all["run"] = to_json(summary);
  all["configuration"] = record_of_configuration(run.configuration);
  write("run.json", all);
  write_configuration(run.configuration);
  if (run.whole)
    remove(kPartial);
  else
    write(kPartial, std::string{kPartialText});
  drop_earlier(path_);
}

void OutputFolder::write_configuration(const std::string& text) const { write("config.resolved.yaml", text); }

std::string configuration_text(const config::MachineSpec& machine, const config::CclSpec* ccl) {
  return ccl == nullptr ? config::resolved_yaml(machine, hw::ModelCatalog{})
                        : config::resolved_yaml(machine, *ccl, hw::ModelCatalog{});
}

ExitCode run_into(const OutputFolder* folder, const std::function<ExitCode()>& run) {
  return folder == nullptr ? run() : folder->during_run(run);
}

void require_folder(const char* option, const std::string& path) {
  if (path.empty()) return;
  std::filesystem::path there = std::filesystem::absolute(path);
  std::filesystem::path nearest = path;  // as given
  std::error_code error;
  while (!std::filesystem::exists(there, error) && !error && there.has_relative_path()) {
    if (std::filesystem::is_symlink(there)) {  // a dangling symlink
      error = std::make_error_code(std::errc::file_exists);
      break;
    }
    there = there.parent_path();
    nearest = nearest.parent_path();
  }
  if (!error && !std::filesystem::is_directory(there))
    throw UsageError{fmt::format("{} {}: {} is a file, expected a folder, which may be new", option, path,
                                 nearest.string())};
  if (!error && access(there.c_str(), W_OK | X_OK) != 0) error = {errno, std::generic_category()};
  if (error) throw UsageError{fmt::format("{} {}: {}", option, path, why_unwritable(path, error))};
}

void require_folder(const std::string& path) {
  if (path.empty()) return;
  require_folder("--out", path);
  std::error_code error;
  for (const char* name : kOwn) {
    if (std::filesystem::is_directory(std::filesystem::path{path} / name, error))
      throw UsageError{
          fmt::format("--out {}: {} is a folder there, and a run writes a file of that name", path, name)};
  }
  const std::filesystem::path rows = std::filesystem::path{path} / kRows;
  if (std::filesystem::exists(std::filesystem::symlink_status(rows, error)) && !is_rows_folder(rows))
    throw UsageError{fmt::format(
        "--out {}: {} there isn't of an earlier run, and an evaluation writes a folder of that name", path,
        kRows)};
}

void require_output(const char* option, const std::filesystem::path& file, const OutputPlan& plan) {
  if (plan.json && is_stdout(file))
    throw UsageError{fmt::format("{} {} beside --json: stdout is one JSON document", option, file.string())};
  if (is_own_file(file, plan.out))
    throw UsageError{fmt::format("{} {}: --out writes a file of that name", option, file.string())};
  if (!is_in_new_folder(file, plan.out)) require_writable(file);
}

}  // namespace kbsim::report
