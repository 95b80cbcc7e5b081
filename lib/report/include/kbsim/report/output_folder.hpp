#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/report/figure.hpp"
#include "kbsim/report/folder_lock.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/run_summary.hpp"

namespace kbsim::report {

/// The request of a run.
struct RunRecord {
  std::string command;
  const std::vector<std::string>& arguments;
  std::optional<std::int64_t> seed = {};
  std::string configuration;         // as in config.resolved.yaml
  boost::json::object options = {};  // an evaluation's own, which determine its rows
  bool whole = true;                 // false: it was interrupted
};

/// The configuration with the defaults of all models; without `ccl` no collectives run.
[[nodiscard]] std::string configuration_text(const config::MachineSpec& machine, const config::CclSpec* ccl);

/// The folder of --out: created if missing, and locked for this run during the object's lifetime. Each file
/// is written whole or not at all. UsageError if something can't be written.
class OutputFolder {
 public:
  explicit OutputFolder(std::filesystem::path path);

  /// A name may begin with row_folder(), which is then created.
  void write(const std::string& name, const std::string& text) const;
  void write(const std::string& name, const boost::json::value& json) const;
  /// Contents made in pieces: see write_file().
  void write_pieces(const std::string& name, const std::function<void(const FileSink&)>& write) const;
  /// Removes a file of an earlier run, if there is one.
  void remove(const std::string& name) const;
  /// Runs `run`, which writes here. The earlier run's records are removed. Until write_run() of a complete
  /// run the folder has a file PARTIAL, so a failed run leaves nothing that looks complete. If the run is
  /// refused (is_refusal) before write_run(), all earlier files are restored.
  ExitCode during_run(const std::function<ExitCode()>& run) const;
  /// config.resolved.yaml of an unfinished run.
  void write_configuration(const std::string& text) const;
  /// Writes a gnuplot script and runs it. It reports on stderr if nothing is drawn, without gnuplot or after
  /// a signal to stop; an earlier picture is then removed.
  void draw(const std::string& name, const std::string& script) const;

  /// The same, with its data as a CSV file.
  void draw(const Figure& figure) const;

  /// Writes run.json and config.resolved.yaml, which allow this run to be repeated. After an interruption,
  /// PARTIAL says that no CSV here is complete; otherwise PARTIAL is removed. Call it last: an earlier
  /// failure, as on a full file system, then leaves an earlier run's files unharmed.
  void write_run(const RunRecord& run, const RunSummary& summary) const;

 private:
  std::filesystem::path path_;
  FolderLock lock_;
};

/// The folder of a row's files within that of an evaluation: "rows/3". Rows are numbered from 1 on.
[[nodiscard]] std::string row_folder(std::size_t row);
/// The rows that have a folder there, in ascending order.
[[nodiscard]] std::vector<std::size_t> rows_in(const std::filesystem::path& folder);

/// The file lies beside PARTIAL: an interrupted run wrote it.
[[nodiscard]] bool is_partial(const std::filesystem::path& file);

/// OutputFolder::during_run(), or `run` alone if there is no folder.
ExitCode run_into(const OutputFolder* folder, const std::function<ExitCode()>& run);

/// The folder of --out DIR; null if none was named.
[[nodiscard]] std::unique_ptr<OutputFolder> folder_named(const std::string& path);

/// UsageError, which names the option, if a folder of that name is impossible, as far as is known without
/// creating it.
void require_folder(const char* option, const std::string& path);
/// The same for --out, where no file of a run may be a folder.
void require_folder(const std::string& path);

/// The outputs of a run besides its text on stdout.
struct OutputPlan {
  std::string out;    // --out: a folder, which may not exist yet
  bool json = false;  // stdout is one JSON document
};

/// UsageError if the file that an option names can't be written, or if it is stdout beside --json.
void require_output(const char* option, const std::filesystem::path& file, const OutputPlan& plan);

}  // namespace kbsim::report
