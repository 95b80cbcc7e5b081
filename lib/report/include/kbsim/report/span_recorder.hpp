#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/i_spans.hpp"
#include "kbsim/report/link_slices.hpp"
#include "kbsim/report/span_levels.hpp"
#include "kbsim/report/span_series.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/trace/timeline.hpp"

namespace kbsim::report {

/// Selection of the spans to keep.
struct SpanSelection {
  Time from{};
  Time to = kForever;
  std::string units;                // a glob of names; "": all, but links and memory ports only as series
  bool packets = false;             // one slice per packet, not per message
  std::uint64_t most = 10'000'000;  // slices; later ones are left out
  std::size_t links = 0;            // extra slices of links, over the whole run, see LinkSlices
};

/// Keeps the spans of a run as a timeline: tracks of ranks and of the machine's units, their work, and series
/// of their utilization. Memory is bounded: slices go to a file during the run, series have a few hundred
/// windows.
class SpanRecorder final : public hw::ISpans {
 public:
  SpanRecorder(const topology::Graph& graph, SpanSelection selection);

  void add(const hw::Span& span) override;
  void open(const void* key, const hw::Span& span) override;
  void close(const void* key, Time end, const hw::SpanFlow& flow = {}) override;
  void take(const hw::Taken& what) override { levels_.take(what); }

  /// The run has ended or was stopped: open spans last until now. UsageError if no name fits the glob.
  [[nodiscard]] trace::Timeline& finish(Time now, std::string title);
  /// The time from which slices were left out; none if all are there.
  [[nodiscard]] std::optional<Time> full_since() const { return full_since_; }

 private:
  // State of a unit, link or rank that has done something.
  struct Unit {
    trace::TrackId track = trace::kNoTrack;
    hw::SpanKind kind{};
    bool wanted = false;
    bool has_slices = false;
    trace::StringId what = 0;                 // the name of its last slice
    std::optional<trace::Slice> joined = {};  // packets of one message so far
    SpanSeries busy = {};
    SpanSeries waiting = {};
  };
  struct Open {
    trace::Slice slice;
    Unit* unit = nullptr;
  };
  using Lines = std::array<std::unique_ptr<Unit>, 3>;

  Unit& unit_of(const hw::Span& span);
  [[nodiscard]] std::string name_of(const hw::Span& span) const;
  trace::TrackId track_of(const hw::Span& span, const std::string& full_name);
  trace::TrackId track(trace::TrackId parent, const std::string& name, int order, int process, int stream);
  trace::TrackId track_at(PeCoord at);
  [[nodiscard]] trace::Slice slice_of(const hw::Span& span, Unit& unit);
  [[nodiscard]] trace::StringId text(std::string_view text, trace::StringId maybe = 0);
  template <class Visit>
  void for_each_unit(const Visit& visit) {
    for (std::vector<Lines>* all : {&ranks_, &nodes_, &links_}) {
      for (Lines& lines : *all) {
        for (const std::unique_ptr<Unit>& unit : lines) {
          if (unit) visit(*unit);
        }
      }
    }
  }
  [[nodiscard]] trace::StringId place(const std::source_location& at);
  [[nodiscard]] std::uint64_t flow_of(const hw::SpanFlow& flow);
  void count(Unit& unit, Time ready, Time start, Time end);
  void end(Open& opened, Time at, bool unfinished);
  void add_link(const hw::Span& span, Unit& unit);
  void finish_links();
  void keep(const trace::Slice& slice);
  void keep_part(trace::Slice slice);
  void join(Unit& unit, const trace::Slice& packet);
  void finish_flows();
  void finish_series(Time now);
  void add_shares(trace::Series shares, const SpanSeries& series);
  void add_level(SpanLevels::Level& level);

  const topology::Graph& graph_;
  SpanSelection selection_;
  trace::Timeline timeline_;
  std::vector<Lines> ranks_;  // by number
  std::vector<Lines> nodes_;
  std::vector<Lines> links_;
  std::map<std::pair<trace::TrackId, std::string>, trace::TrackId> tracks_;
  std::unordered_map<const void*, Open> open_;
  SpanLevels levels_;
  LinkSlices link_slices_;
  std::map<std::pair<const char*, std::uint32_t>, trace::StringId> places_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> rings_;  // by ring and launch
  std::vector<std::uint64_t> begun_;                                        // flows
  std::vector<std::uint64_t> ended_;
  std::optional<Time> full_since_;
};

}  // namespace kbsim::report
