#pragma once

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

/// What a run was asked for.
struct RunRecord {
  std::string command;
  const std::vector<std::string>& arguments;
  std::optional<std::int64_t> seed = {};
  std::string configuration;         // as config.resolved.yaml has it
  boost::json::object options = {};  // an evaluation's own, that its rows hang on
  bool whole = true;                 // false: it was interrupted
};

/// With the defaults of all models written out; without `ccl` no collectives run.
[[nodiscard]] std::string configuration_text(const config::MachineSpec& machine, const config::CclSpec* ccl);

/// What --out names: a folder of results, made if it isn't there, and this run's alone as long as this lives.
/// Each file is written whole or not at all. UsageError if something can't be written.
class OutputFolder {
 public:
  explicit OutputFolder(std::filesystem::path path);

  void write(const std::string& name, const std::string& text) const;
  void write(const std::string& name, const boost::json::value& json) const;
  /// Contents that are made piece by piece: see write_file().
  void write_pieces(const std::string& name, const std::function<void(const FileSink&)>& write) const;
  /// Takes a file of an earlier run away, if there is one.
  void remove(const std::string& name) const;
  /// Runs `run`, which writes here. What an earlier run has said of itself goes, and until write_run() of a
  /// whole run the folder has a file PARTIAL: a run that fails leaves nothing that looks like its own. One
  /// that is refused (is_refusal) before write_run() leaves all files of a run as they were.
  ExitCode during_run(const std::function<ExitCode()>& run) const;
  /// config.resolved.yaml of a run that hasn't ended.
  void write_configuration(const std::string& text) const;
  /// Writes a gnuplot script and runs it; says on stderr what isn't drawn: without gnuplot, or after a signal
  /// that asks for the end. An earlier run's picture doesn't stay then.
  void draw(const std::string& name, const std::string& script) const;

  /// The same with its data beside it.
  void draw(const Figure& figure) const;

  /// What it takes to run this again: run.json and config.resolved.yaml. Of an interrupted run a file PARTIAL
  /// says that no CSV here is whole; that of an earlier run goes. Comes last: what fails before it, as on a
  /// full file system, costs an earlier run's files nothing.
  void write_run(const RunRecord& run, const RunSummary& summary) const;

 private:
  std::filesystem::path path_;
  FolderLock lock_;
};

/// The file lies beside PARTIAL: an interrupted run wrote it.
[[nodiscard]] bool is_partial(const std::filesystem::path& file);

/// OutputFolder::during_run(), or `run` alone if there is no folder.
ExitCode run_into(const OutputFolder* folder, const std::function<ExitCode()>& run);

/// Of --out DIR: the folder, if one was named.
[[nodiscard]] std::unique_ptr<OutputFolder> folder_named(const std::string& path);

/// UsageError, which names the option, if there can be no folder of that name, as far as that is known
/// without making it.
void require_folder(const char* option, const std::string& path);
/// The same of --out, where no file of a run may be a folder.
void require_folder(const std::string& path);

/// Where a run was told to write, besides its text on stdout.
struct OutputPlan {
  std::string out;    // --out: a folder, which may be made yet
  bool json = false;  // stdout is one JSON document
};

/// UsageError if the file that an option names can't be written, or if it is stdout beside --json.
void require_output(const char* option, const std::filesystem::path& file, const OutputPlan& plan);

}  // namespace kbsim::report
