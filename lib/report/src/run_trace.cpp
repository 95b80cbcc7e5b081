#include "kbsim/report/run_trace.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/output_place.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/unwritable.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/span_log.hpp"
#include "kbsim/trace/page.hpp"

namespace kbsim::report {
namespace {

namespace fs = std::filesystem;

// With them spans.json has at most 5 MB, and a page with it less than 10.
constexpr std::uint64_t kMostForPage = 1'000'000;
constexpr std::size_t kLinksForPage = 40'000;
constexpr trace::PageLimits kPageLimits{.slices = 80'000,
                                        .arrows = 20'000,
                                        .numbers = 150'000,
                                        .links = true,
                                        .rows = 12'000,
                                        .bytes = 5'000'000};

// An equal part of a number for each of several runs, but at least a 40th: then 2000 slices are left.
template <class Number>
Number part_of(Number all, std::size_t runs) {
  constexpr std::size_t kMostParts = 40;
  return all / std::clamp<std::size_t>(runs, 1, kMostParts);
}

trace::PageLimits page_limits(std::size_t runs) {
  trace::PageLimits limits = kPageLimits;
  for (std::uint64_t* const limit : {&limits.slices, &limits.arrows, &limits.numbers, &limits.bytes})
    *limit = part_of(*limit, runs);
  return limits;
}

enum class Format : std::uint8_t { perfetto, chrome, picture, page };
constexpr std::array<std::pair<std::string_view, Format>, 4> kSuffixes{{{".pftrace", Format::perfetto},
                                                                        {".json", Format::chrome},
                                                                        {".svg", Format::picture},
                                                                        {".html", Format::page}}};

Format format_of(const fs::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const auto& [suffix, format] : kSuffixes) {
    if (extension == suffix) return format;
  }
  std::vector<std::string> names;
  for (const auto& [suffix, format] : kSuffixes) names.emplace_back(suffix);
  throw UsageError{
      fmt::format("--trace {}: expected a name that ends in .pftrace (Perfetto), .json (Chrome, "
                  "Kineto), .html (a page) or .svg (a picture){}",
                  file.string(), near_hint(extension, names))};
}

[[noreturn]] void refuse_window(const std::string& text) {
  throw UsageError{fmt::format(
      "--trace-window must be FROM:TO, two times in ns, the first before the second, got '{}'", text)};
}

Time time_in(std::string_view text, const std::string& whole) {
  double ns = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ns);
  if (error != std::errc{} || end != text.data() + text.size() || !(ns >= 0.0)) refuse_window(whole);
  try {
    return from_ns(ns);
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("--trace-window {}: {}", whole, error.what())};
  }
}

std::pair<Time, Time> window_of(const std::string& text) {
  if (text.empty()) return {Time{0}, kForever};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) refuse_window(text);
  const std::string_view all{text};
  const Time from = time_in(all.substr(0, colon), text);
  const Time to = time_in(all.substr(colon + 1), text);
  if (from >= to) refuse_window(text);
  return {from, to};
}

trace::TimeUnit unit_of(const TraceOptions& options) {
  if (options.unit.empty() || options.unit == "ns") return trace::TimeUnit::ns;
  if (options.unit != "ps")
    throw UsageError{fmt::format("--trace-unit must be ns or ps, got '{}'", options.unit)};
  if (format_of(options.file) != Format::perfetto)
    throw UsageError{
        "--trace-unit ps is of Perfetto's format: --trace FILE.pftrace; others have exact times"};
  return trace::TimeUnit::ps;
}

// The folder itself, or its nearest existing parent.
fs::path existing(const fs::path& folder) {
  fs::path there = fs::absolute(folder);
  std::error_code ignored;
  while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
  return there;
}

// N of rankN.json; none for another name.
std::optional<int> rank_of(const fs::path& file) {
  const std::string name = file.filename().string();
  int rank = -1;
  int end = 0;
  const bool read = std::sscanf(name.c_str(), "rank%d.json%n", &rank, &end) == 1;
  return read && static_cast<std::size_t>(end) == name.size() ? std::optional{rank} : std::nullopt;
}

// Removes files of an earlier run with more ranks.
void remove_ranks_from(const fs::path& folder, int first) {
  std::error_code error;
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator{folder, error}) {
    if (rank_of(entry.path()).value_or(-1) >= first) old.push_back(entry.path());
  }
  for (const fs::path& file : old) fs::remove(file, error);
}

// Refuses a trace file and a folder at the same place.
void require_apart(const fs::path& file, const fs::path& folder) {
  if (file.empty() || folder.empty()) return;
  const fs::path there = output_place(file);
  const fs::path in = output_place(folder);
  if (there == in || (there.parent_path() == in && rank_of(there)))
    throw UsageError{
        fmt::format("--trace {}: --trace-dir {} writes a file of that name", file.string(), folder.string())};
}

// Options about the trace's form have no effect without one.
void require_trace(const TraceOptions& options) {
  if (!options.file.empty() || !options.folder.empty()) return;
  const auto refuse = [](const char* option) {
    throw UsageError{fmt::format("--{} has no effect without --trace FILE or --trace-dir DIR", option)};
  };
  if (!options.window.empty()) refuse("trace-window");
  if (!options.units.empty()) refuse("trace-units");
  if (!options.unit.empty()) refuse("trace-unit");
  if (options.packets) refuse("trace-packets");
  if (options.most) refuse("trace-limit");
}

// The output of a writer: its size, and its bytes unless there are very many.
class Written {
 public:
  explicit Written(const std::function<void(const trace::Sink&)>& write) {
    write([this](std::string_view text) { add(text); });
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool is_whole() const { return size_ == bytes_.size(); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void add(std::string_view text) {
    constexpr std::size_t kMostKept = std::size_t{64} << 20U;
    const bool whole = is_whole();
    size_ += text.size();
    if (whole && size_ <= kMostKept) {
      bytes_ += text;
    } else {
      bytes_ = {};
    }
  }

  std::uint64_t size_ = 0;
  std::string bytes_;
};

void say_size(const trace::Timeline& timeline, std::uint64_t bytes, const fs::path& to) {
  say("trace: {} on {}, {} B, to {}\n", counted(timeline.slices.size(), "slice"),
      counted(timeline.tracks.size(), "track"), bytes, to.string());
}

// Reports its size, then writes it.
void write_said(trace::Timeline& timeline, const fs::path& to, bool quiet,
                const std::function<void(const trace::Sink&)>& write) {
  const Written written{write};
  if (!quiet) say_size(timeline, written.size(), to);
  if (!written.is_whole()) return write_file(to, write);
  write_file(to, written.bytes());
}

// Marks the timeline: slices from there on are missing.
void cut(trace::Timeline& timeline, Time since) {
  timeline.is_cut = true;
  timeline.title += fmt::format(" (slices from {} on are missing)", to_string(since));
}

}  // namespace

RunTrace::RunTrace(const TraceOptions& options)
    : file_{options.file}, folder_{options.folder}, quiet_{options.quiet} {
  require_trace(options);
  if (!options.file.empty() && format_of(options.file) == Format::perfetto) trace::require_perfetto();
  if (!options.unit.empty() && options.file.empty())
    throw UsageError{"--trace-unit is of Perfetto's format: --trace FILE.pftrace"};
  unit_ = unit_of(options);
  const auto [from, to] = window_of(options.window);
  selection_ = {.from = from, .to = to, .units = options.units, .packets = options.packets};
  if (options.most) selection_.most = *options.most;
  if (!options.file.empty() && format_of(options.file) == Format::page)
    selection_.most = std::min(selection_.most, trace::kMostOfPage);
  if (options.packets && options.units.empty())
    throw UsageError{
        "--trace-packets: packets are slices of links and memory ports, which --trace-units "
        "GLOB names: '*' for all"};
  require_apart(file_, folder_);
  if (!file_.empty()) require_writable(file_);
  if (!folder_.empty()) require_writable(existing(folder_) / "rank0.json");
}

std::vector<std::string> RunTrace::files() const {
  std::vector<std::string> all;
  if (!file_.empty()) all.push_back(file_.string());
  if (!folder_.empty()) all.push_back((folder_ / "rank*.json").string());
  return all;
}

void RunTrace::keep_for_page(const OutputFolder& folder) {
  keep_for_page([&folder](const std::string& text) { folder.write("spans.json", text); }, 1);
}

void RunTrace::keep_for_page(std::function<void(std::string text)> take, std::size_t runs) {
  take_for_page_ = std::move(take);
  runs_of_page_ = runs;
}

void RunTrace::during(hw::Machine& machine, const std::string& title, const std::function<void()>& run) {
  if (!wanted() && !take_for_page_) return run();
  SpanLog log;
  if (wanted()) traced_ = std::make_unique<SpanRecorder>(machine.graph(), selection_);
  if (take_for_page_)
    paged_ = std::make_unique<SpanRecorder>(
        machine.graph(), SpanSelection{.most = kMostForPage, .links = part_of(kLinksForPage, runs_of_page_)});
  for (SpanRecorder* recorder : {traced_.get(), paged_.get()}) log.add_to(recorder);
  machine.fabric().record_spans(&log);
  try {
    run();
  } catch (...) {
    machine.fabric().record_spans(nullptr);
    try {
      log.flush();
      write_all(machine.sim().now(), title + " (the run did not end well)");
    } catch (const Error& error) {  // the run's own error matters more
      say("kbsim: {}\n", error.what());
    }
    throw;
  }
  machine.fabric().record_spans(nullptr);
  try {
    log.flush();
    write_all(machine.sim().now(), title);
  } catch (const UsageError& error) {
    why_not_written_ = error.what();
  }
}

void RunTrace::write_all(Time now, const std::string& title) {
  if (paged_) write_for_page(*paged_, now, title);
  if (traced_) write(*traced_, now, title);
  paged_.reset();
  traced_.reset();
}

void RunTrace::write_for_page(SpanRecorder& recorder, Time now, const std::string& title) const {
  trace::Timeline& timeline = recorder.finish(now, title);
  if (const auto since = recorder.full_since()) cut(timeline, *since);
  std::string text;
  write_page_data(timeline, page_limits(runs_of_page_), [&](std::string_view piece) { text += piece; });
  take_for_page_(text + "\n");
}

void RunTrace::require_written() const {
  if (!why_not_written_.empty()) throw UsageError{why_not_written_};
}

void RunTrace::write(SpanRecorder& recorder, Time now, std::string title) const {
  if (unit_ == trace::TimeUnit::ps) title += " (1 ps is written as 1 ns)";
  trace::Timeline& timeline = recorder.finish(now, std::move(title));
  if (selection_.from > now)
    say("trace: has no slices: --trace-window begins at {}, and the run ended at {}\n",
        to_string(selection_.from), to_string(now));
  if (const auto since = recorder.full_since()) {
    cut(timeline, *since);
    say("trace: has the first {}; those that began at {} or later may be missing. --trace-window and "
        "--trace-units choose, --trace-limit allows more\n",
        counted(timeline.slices.size(), "slice"), to_string(*since));
  }
  if (!file_.empty()) write_file_of(timeline);
  if (!folder_.empty()) write_folder_of(timeline);
}

void RunTrace::write_file_of(trace::Timeline& timeline) const {
  write_said(timeline, file_, quiet_, [&](const trace::Sink& sink) {
    switch (format_of(file_)) {
      case Format::perfetto: return write_perfetto(timeline, unit_, sink);
      case Format::chrome: return write_chrome(timeline, -1, sink);
      case Format::picture: return write_svg(timeline, sink);
      case Format::page: return write_page(timeline, sink);
    }
  });
}

void RunTrace::write_folder_of(trace::Timeline& timeline) const {
  const auto writing = [&](int rank) {
    return [&timeline, rank](const trace::Sink& sink) { write_chrome(timeline, rank, sink); };
  };
  if (!quiet_) {
    std::uint64_t bytes = 0;
    for (int rank = 0; rank < timeline.ranks; ++rank) bytes += Written{writing(rank)}.size();
    say_size(timeline, bytes, folder_);
  }
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw UsageError{fmt::format("--trace-dir '{}': {}", folder_.string(), why_unwritable(folder_, error))};
  for (int rank = 0; rank < timeline.ranks; ++rank)
    write_file(folder_ / fmt::format("rank{}.json", rank), writing(rank));
  remove_ranks_from(folder_, timeline.ranks);
}

}  // namespace kbsim::report
