// Chrome trace events as PyTorch's profiler (Kineto) writes them, for readers of its traces.
#include <optional>
#include <set>
#include <string>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/utf8.hpp"
#include "kbsim/trace/timeline.hpp"

#include "kinds.hpp"
#include "trace_lanes.hpp"

namespace kbsim::trace {
namespace {

namespace json = boost::json;

// Times are in µs, and readers drop times below 1 µs: so a ns is written as a µs.
constexpr std::int64_t kScale = 1000;
// External ids of calls begin after those of launches, which are the orders' numbers.
constexpr std::uint64_t kFirstCall = std::uint64_t{1} << 32U;
double scaled(Time t) { return static_cast<double>(t.count()) / 1000.0; }

// Kineto's name: "allreduce".
std::string collective_name(std::string name) {
  std::erase(name, '_');
  return name;
}

/// Writes a timeline.
class ChromeTrace {
 public:
  ChromeTrace(Timeline& timeline, int rank, const Sink& sink)
      : timeline_{timeline}, rank_{rank}, sink_{sink} {}

  void write() {
    json::object info{{"backend", "kbsim"}, {"rank", std::max(rank_, 0)}, {"world_size", timeline_.ranks}};
    info["time_scale"] = kScale;
    text_ = fmt::format(
        R"({{"schemaVersion": 1, "displayTimeUnit": "ns", "traceName": {}, "distributedInfo": {},)",
        json_as_utf8(json::serialize(json::string{timeline_.title})), json_as_utf8(json::serialize(info)));
    text_ += "\n\"traceEvents\": [";
    name_processes();
    for (TrackId track = 0; track < timeline_.tracks.size(); ++track) {
      if (is_mine(track)) name_thread(track, 0);
    }
    write_slices();
    for (const Series& series : timeline_.series) write(series);
    text_ += "\n]}\n";
    flush();
  }

 private:
  // A track without a package or rank belongs to the first one.
  [[nodiscard]] bool is_mine(TrackId track) const {
    return rank_ < 0 || std::max(0, timeline_.tracks[track].process) == rank_;
  }
  // A track of all packages together gets the number after the last.
  [[nodiscard]] int pid(TrackId track) const {
    const int process = timeline_.tracks[track].process;
    return process < 0 ? timeline_.ranks : process;
  }
  [[nodiscard]] std::uint64_t tid(TrackId track, std::size_t lane) const {
    return lane * timeline_.tracks.size() + track;
  }
  [[nodiscard]] std::string path(TrackId id) const { return path_of(timeline_.tracks, id); }

  void put(const json::object& event) {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    text_ += json_as_utf8(json::serialize(event));
    if (text_.size() > (std::size_t{1} << 16U)) flush();
  }
  void flush() {
    sink_(text_);
    text_.clear();
  }
  void put_metadata(const char* what, int pid, std::uint64_t tid, const json::object& args) {
    put({{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"ts", 0}, {"args", args}});
  }

  void name_processes() {
    std::set<int> named;
    for (TrackId track = 0; track < timeline_.tracks.size(); ++track) {
      if (!is_mine(track) || !named.insert(pid(track)).second) continue;
      const bool one = timeline_.tracks[track].process >= 0;
      put_metadata("process_name", pid(track), 0,
                   {{"name", one ? fmt::format("rank {}", pid(track)) : std::string{"machine"}}});
      put_metadata("process_sort_index", pid(track), 0, {{"sort_index", pid(track)}});
    }
  }
  void name_thread(TrackId track, std::size_t lane) {
    put_metadata("thread_name", pid(track), tid(track, lane), {{"name", path(track)}});
    put_metadata("thread_sort_index", pid(track), tid(track, lane), {{"sort_index", places_[track]}});
  }

  void write_slices() {
    Lanes lanes;
    std::set<std::pair<TrackId, std::size_t>> named;
    std::optional<TrackId> track;
    const auto ended = [](std::size_t, const Slice&) {};
    timeline_.slices.for_each([&](const Slice& slice) {
      if (!is_mine(slice.track)) return;
      if (track != slice.track) lanes.finish(ended);
      track = slice.track;
      const std::size_t lane = lanes.push(slice, ended);
      if (lane > 0 && named.insert({slice.track, lane}).second) name_thread(slice.track, lane);
      write(slice, tid(slice.track, lane));
    });
  }

  void write(const Slice& slice, std::uint64_t tid) {
    put({{"ph", "X"},
         {"cat", row_of(slice.kind).kineto},
         {"name", name_of(slice)},
         {"pid", pid(slice.track)},
         {"tid", tid},
         {"ts", scaled(slice.start)},
         {"dur", scaled(slice.duration())},
         {"args", args_of(slice)}});
    for (std::uint64_t i = 0; i < slice.flows; ++i) write_flow("s", slice, slice.to + i, tid, slice.start);
    if (slice.from != 0)
      write_flow("f", slice, slice.from, tid, slice.ends_flow_last ? slice.end() : slice.start);
  }

  void write_flow(const char* end, const Slice& slice, std::uint64_t flow, std::uint64_t tid, Time at) {
    if (!timeline_.has_flow(flow)) return;
    const bool launch = slice.kind < SliceKind::range;
    const char* const name = launch ? "ac2g" : "message";
    json::object event{
        {"ph", end},  {"id", flow},      {"cat", name}, {"name", name}, {"pid", pid(slice.track)},
        {"tid", tid}, {"ts", scaled(at)}};
    if (*end == 'f') event["bp"] = "e";
    put(event);
  }

  // Readers recognize kernels of collectives by this prefix of their names.
  [[nodiscard]] std::string name_of(const Slice& slice) const {
    const std::string& name = timeline_.strings[slice.name];
    if (slice.kind == SliceKind::collective_kernel) return "ncclDevKernel_" + name;
    if (slice.kind == SliceKind::collective) return "record_param_comms";
    return slice.kind == SliceKind::launch ? "cudaLaunchKernel" : name;
  }

  [[nodiscard]] json::object args_of(const Slice& slice) {
    json::object args{{"start_ps", slice.start.count()}, {"duration_ps", slice.duration().count()}};
    const Track& track = timeline_.tracks[slice.track];
    const bool runs = slice.kind == SliceKind::kernel || slice.kind == SliceKind::collective_kernel;
    if (slice.bytes != 0) args["bytes"] = slice.bytes;
    if (slice.at != 0) args["at"] = timeline_.strings[slice.at];
    if (slice.cut) args["cut"] = true;
    if (slice.unfinished) args["unfinished"] = true;
    if (slice.kind == SliceKind::launch || runs) args["External id"] = slice.id;
    if (slice.kind == SliceKind::call) args["External id"] = kFirstCall + calls_++;
    if (slice.kind == SliceKind::launch || runs) args["correlation"] = slice.id;
    if (runs || slice.kind == SliceKind::transfer) {
      args["stream"] = track.stream;
      args["device"] = track.process;
    }
    if (slice.kind == SliceKind::launch) args["kernel"] = timeline_.strings[slice.name];
    if (slice.kind == SliceKind::collective) add_collective(args, slice);
    return args;
  }

  void add_collective(json::object& args, const Slice& slice) const {
    args["Collective name"] = collective_name(timeline_.strings[slice.name]);
    args["In msg nelems"] = slice.id;
    args["dtype"] = timeline_.strings[slice.part];
    args["Group size"] = slice.count;
    args["Process Group Name"] = std::to_string(slice.group);
    args["algorithm"] = timeline_.strings[slice.detail];
  }

  void write(const Series& series) {
    if (!is_mine(series.track)) return;
    const std::string name = path(series.track) + " " + series.name;
    double last = -1.0;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      if (series.values[i] == last) continue;
      last = series.values[i];
      put_count(series, name, timeline_.begin + static_cast<std::int64_t>(i) * timeline_.window, last);
    }
    if (last != 0.0) put_count(series, name, timeline_.end, 0.0);
  }
  void put_count(const Series& series, const std::string& name, Time at, double value) {
    put({{"ph", "C"},
         {"name", name},
         {"pid", pid(series.track)},
         {"ts", scaled(at)},
         {"args", json::object{{series.unit, value}}}});
  }

  Timeline& timeline_;
  int rank_;
  const Sink& sink_;
  std::vector<std::uint32_t> places_ = places_of(timeline_.tracks);
  std::string text_;
  bool first_ = true;
  std::uint64_t calls_ = 0;
};

}  // namespace

void write_chrome(Timeline& timeline, int rank, const Sink& sink) {
  ChromeTrace{timeline, rank, sink}.write();
}

}  // namespace kbsim::trace
