#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/hw/machine.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/span_recorder.hpp"

namespace kbsim::report {

/// --trace and related options, as given.
struct TraceOptions {
  std::string file;    // --trace; its suffix gives the format
  std::string folder;  // --trace-dir: one file of Chrome's format per rank
  std::string window;  // --trace-window FROM:TO, in ns
  std::string units;
  std::string unit;  // --trace-unit: ns or ps
  bool packets = false;
  std::optional<std::uint64_t> most;  // slices
  bool quiet = false;                 // its size isn't reported
};

/// The trace of one simulation. UsageError, before a run, if an option is invalid or the file can't be
/// written.
class RunTrace {
 public:
  RunTrace() = default;
  explicit RunTrace(const TraceOptions& options);

  /// --trace or --trace-dir is given.
  [[nodiscard]] bool wanted() const { return !file_.empty() || !folder_.empty(); }
  /// The files to be written.
  [[nodiscard]] std::vector<std::string> files() const;

  /// Also writes spans.json into this folder, for its page. The folder must outlive the run.
  void keep_for_page(const OutputFolder& folder);
  /// Also passes the text of spans.json to `take`. One of `runs` simulations that share a page: each has an
  /// equal part of the page's slices, but at least 2000.
  void keep_for_page(std::function<void(std::string text)> take, std::size_t runs);

  /// Runs it and records the machine's spans. Afterwards, even if the run fails, it writes the trace and
  /// reports that on stderr. The trace of a failed run is marked as such. Errors of writing are left to
  /// require_written(), so that the run's results come first.
  void during(hw::Machine& machine, const std::string& title, const std::function<void()>& run);
  /// UsageError if the trace of a successful run couldn't be written.
  void require_written() const;

 private:
  void write_all(Time now, const std::string& title);
  void write_for_page(SpanRecorder& recorder, Time now, const std::string& title) const;
  void write(SpanRecorder& recorder, Time now, std::string title) const;
  void write_file_of(trace::Timeline& timeline) const;
  void write_folder_of(trace::Timeline& timeline) const;

  std::filesystem::path file_;
  std::filesystem::path folder_;
  SpanSelection selection_;
  trace::TimeUnit unit_ = trace::TimeUnit::ns;
  std::function<void(std::string text)> take_for_page_;  // none: nothing is kept for a page
  std::size_t runs_of_page_ = 1;
  std::unique_ptr<SpanRecorder> traced_;  // while it runs
  std::unique_ptr<SpanRecorder> paged_;
  bool quiet_ = false;
  std::string why_not_written_;
};

}  // namespace kbsim::report
