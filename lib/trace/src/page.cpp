#include "kbsim/trace/page.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "kinds.hpp"
#include "lanes.hpp"
#include "page_template.hpp"

namespace kbsim::trace {
namespace {

namespace json = boost::json;

// What ends a script's element can't stand in it.
std::string without_tags(std::string text) {
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

/// One writing of a timeline as a page: its slices are in memory, row by row.
class Page {
 public:
  explicit Page(Timeline& timeline) : timeline_{timeline}, places_{places_of(timeline.tracks)} {}

  void write(const Sink& sink) {
    collect();
    const std::string_view page = kPageTemplate;
    const std::size_t data = page.find(kMark);
    sink(page.substr(0, data));
    sink(without_tags(json::serialize(contents())));
    sink(page.substr(data + kMark.size()));
  }

 private:
  static constexpr std::string_view kMark = "/*DATA*/";

  struct Row {
    TrackId track = 0;
    std::vector<std::pair<Slice, int>> slices = {};  // and their depths
  };
  struct End {
    std::pair<std::uint32_t, std::size_t> row;
    Time at{};
  };

  void collect() {
    Lanes lanes;
    std::map<std::size_t, int> depth;
    TrackId track = kNoTrack;
    const auto ended = [&](std::size_t lane, const Slice&) { --depth[lane]; };
    timeline_.slices.for_each([&](const Slice& slice) {
      if (std::exchange(track, slice.track) != slice.track) lanes.finish(ended);
      const std::size_t lane = lanes.push(slice, ended);
      const std::pair key{places_[slice.track], lane};
      Row& row = rows_[key];
      row.track = slice.track;
      row.slices.emplace_back(slice, depth[lane]++);
      note_flows(slice, key);
    });
  }

  void note_flows(const Slice& slice, const std::pair<std::uint32_t, std::size_t>& row) {
    const bool launch = slice.kind == SliceKind::launch;
    for (std::uint64_t i = 0; i < slice.flows; ++i)
      begins_[slice.to + i] = {.row = row, .at = launch ? slice.start : slice.end()};
    if (slice.from != 0)
      ends_[slice.from] = {.row = row, .at = slice.ends_flow_last ? slice.end() : slice.start};
  }

  [[nodiscard]] json::object contents() const {
    json::array rows, start, length, name, at, kind, depth, bytes;
    std::map<std::pair<std::uint32_t, std::size_t>, std::int64_t> numbers;
    for (const auto& [key, row] : rows_) {
      numbers.emplace(key, static_cast<std::int64_t>(rows.size()));
      const std::size_t first = start.size();
      Time last{};
      Time longest{};
      for (const auto& [slice, around] : row.slices) {
        start.emplace_back((slice.start - std::exchange(last, slice.start)).count());
        length.emplace_back(slice.duration().count());
        name.emplace_back(slice.name);
        at.emplace_back(slice.at);
        kind.emplace_back(static_cast<int>(slice.kind));
        depth.emplace_back(around);
        bytes.emplace_back(slice.bytes);
        longest = std::max(longest, slice.duration());
      }
      rows.push_back({{"label", label(row.track)},
                      {"first", first},
                      {"last", start.size()},
                      {"longest", longest.count()}});
    }
    json::array strings;
    for (StringId id = 0; id < timeline_.strings.size(); ++id) strings.emplace_back(timeline_.strings[id]);
    json::array kinds;
    for (const KindRow& row : kKinds) kinds.push_back({{"name", row.category}, {"color", row.color}});
    return {{"title", timeline_.title},     {"begin", timeline_.begin.count()},
            {"end", timeline_.end.count()}, {"rows", std::move(rows)},
            {"start", std::move(start)},    {"length", std::move(length)},
            {"name", std::move(name)},      {"at", std::move(at)},
            {"kind", std::move(kind)},      {"depth", std::move(depth)},
            {"bytes", std::move(bytes)},    {"strings", std::move(strings)},
            {"kinds", std::move(kinds)},    {"flows", flows(numbers)}};
  }

  // Of a link, whose name has its place, no more than that.
  [[nodiscard]] std::string label(TrackId track) const {
    const std::string& name = timeline_.tracks[track].name;
    return name.find('>') == std::string::npos ? path_of(timeline_.tracks, track) : name;
  }

  [[nodiscard]] json::array flows(
      const std::map<std::pair<std::uint32_t, std::size_t>, std::int64_t>& numbers) const {
    json::array all;
    for (const auto& [flow, from] : begins_) {
      const auto to = ends_.find(flow);
      if (to == ends_.end()) continue;
      all.push_back(json::array{numbers.at(from.row), from.at.count(), numbers.at(to->second.row),
                                to->second.at.count()});
    }
    return all;
  }

  Timeline& timeline_;
  std::vector<std::uint32_t> places_;
  std::map<std::pair<std::uint32_t, std::size_t>, Row> rows_;  // by place and lane
  std::map<std::uint64_t, End> begins_;                        // of flows
  std::map<std::uint64_t, End> ends_;
};

}  // namespace

void write_page(Timeline& timeline, const Sink& sink) { Page{timeline}.write(sink); }

}  // namespace kbsim::trace
