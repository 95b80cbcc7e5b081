#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/trace/slice_store.hpp"
#include "kbsim/trace/strings.hpp"

namespace kbsim::trace {

/// A line of a timeline, under another one or at the top.
struct Track {
  std::string name;
  TrackId parent = kNoTrack;  // a smaller number
  std::int32_t order = 0;     // among its siblings
  int process = -1;           // the package or rank that it belongs to; -1: no single one
  int stream = -1;            // of that process, for kernels and transfers in sequence
  bool says_place = false;    // its name alone states its place, as that of a link
};

/// The measure of a series: utilization of its track, the number of waiting things or of those under way, and
/// the number of free places, as the mean or the minimum.
enum class Measure : std::uint8_t { utilisation, waiting, under_way, free, least_free };

/// A number per window of time, all of one width; the last may be shorter.
struct Series {
  TrackId track = kNoTrack;  // under it
  Measure measure = Measure::utilisation;
  std::string name;
  std::string unit;
  std::vector<double> values;
  double all = 0;  // the total of a free resource; 0: the values stand for themselves
};

/// The contents of a trace, in any format.
struct Timeline {
  std::string title;
  bool is_cut = false;  // some slices are missing; the title says which
  std::vector<Track> tracks;
  Strings strings;
  SliceStore slices;
  std::vector<Series> series;
  Time begin{};
  Time end{};
  Time window{};                     // of the series
  std::vector<std::uint64_t> flows;  // flows with both ends here, ascending
  int ranks = 0;

  [[nodiscard]] bool has_flow(std::uint64_t flow) const { return std::ranges::binary_search(flows, flow); }
};

/// The index of each track among all, in a viewer's order: parents before children, siblings by their order.
[[nodiscard]] std::vector<std::uint32_t> places_of(const std::vector<Track>& tracks);
/// "sip0.cube0.pe0.pe_dma"
[[nodiscard]] std::string path_of(const std::vector<Track>& tracks, TrackId track);
/// The label of its row: its path, or its name if that states its place.
[[nodiscard]] std::string label_of(const std::vector<Track>& tracks, TrackId track);

/// Receives a file's bytes, piece by piece.
using Sink = std::function<void(std::string_view bytes)>;

/// Perfetto writes times in ns: a shorter time has the length 0, unless a ps is written as a ns.
enum class TimeUnit : std::uint8_t { ns, ps };

/// Unsupported, naming the packages, if kbsim was built without protobuf.
void require_perfetto();

/// Perfetto's protobuf: docs/how-to/tracing.md. Slices that overlap on a track get tracks of its name.
void write_perfetto(Timeline& timeline, TimeUnit unit, const Sink& sink);

/// Chrome trace events with Kineto's names and keys, times multiplied by 1000: for one rank, or for all (-1).
void write_chrome(Timeline& timeline, int rank, const Sink& sink);

/// A picture: one row per track with slices.
void write_svg(Timeline& timeline, const Sink& sink);

}  // namespace kbsim::trace
