#include "decoded.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "perfetto.pb.h"

namespace kbsim::test {
namespace {

using namespace kbsim::perfetto;

struct Reader {
  Decoded result;
  std::map<std::uint64_t, std::string> names;
  std::map<std::uint64_t, std::string> categories;
  std::map<std::uint64_t, std::string> notes;
  std::map<std::uint64_t, std::string> texts;
  std::map<std::uint64_t, TrackDescriptor> tracks;
  std::map<std::uint64_t, std::vector<std::size_t>> open;  // by track, of result.slices
  std::map<std::uint64_t, std::uint64_t> last;             // time, by track

  [[nodiscard]] std::string path(std::uint64_t track) const {
    REQUIRE(tracks.contains(track));
    const TrackDescriptor& descriptor = tracks.at(track);
    if (!descriptor.has_parent_uuid()) return "";
    const std::string above = path(descriptor.parent_uuid());
    return above.empty() ? descriptor.name() : above + "." + descriptor.name();
  }

  void intern(const InternedData& data) {
    for (const auto& one : data.event_names()) names[one.iid()] = one.name();
    for (const auto& one : data.event_categories()) categories[one.iid()] = one.name();
    for (const auto& one : data.debug_annotation_names()) notes[one.iid()] = one.name();
    for (const auto& one : data.debug_annotation_string_values()) texts[one.iid()] = one.str();
  }

  [[nodiscard]] std::string value(const DebugAnnotation& note) const {
    if (note.has_string_value_iid()) return texts.at(note.string_value_iid());
    return note.has_bool_value() ? (note.bool_value() ? "true" : "false") : std::to_string(note.int_value());
  }

  void begin(const TracePacket& packet) {
    const TrackEvent& event = packet.track_event();
    REQUIRE(names.contains(event.name_iid()));
    DecodedSlice slice{.path = path(event.track_uuid()),
                       .name = names.at(event.name_iid()),
                       .category = categories.at(event.category_iids(0)),
                       .begin = packet.timestamp(),
                       .end = packet.timestamp(),
                       .depth = open[event.track_uuid()].size(),
                       .instant = event.type() == TrackEvent::TYPE_INSTANT};
    for (const auto& note : event.debug_annotations()) slice.notes[notes.at(note.name_iid())] = value(note);
    slice.flows.assign(event.flow_ids().begin(), event.flow_ids().end());
    slice.ended_flows.assign(event.terminating_flow_ids().begin(), event.terminating_flow_ids().end());
    if (!slice.instant) open[event.track_uuid()].push_back(result.slices.size());
    result.slices.push_back(std::move(slice));
  }

  void take(const TracePacket& packet) {
    if (packet.has_track_descriptor()) {
      const TrackDescriptor& descriptor = packet.track_descriptor();
      REQUIRE(tracks.emplace(descriptor.uuid(), descriptor).second);
      if (!descriptor.has_parent_uuid()) result.title = descriptor.name();
      if (descriptor.has_parent_uuid())
        result.orders[path(descriptor.uuid())] = descriptor.sibling_order_rank();
    }
    if (packet.has_interned_data()) intern(packet.interned_data());
    if (!packet.has_track_event()) return;
    const TrackEvent& event = packet.track_event();
    REQUIRE(last[event.track_uuid()] <= packet.timestamp());
    last[event.track_uuid()] = packet.timestamp();
    switch (event.type()) {
      case TrackEvent::TYPE_SLICE_BEGIN:
      case TrackEvent::TYPE_INSTANT: return begin(packet);
      case TrackEvent::TYPE_SLICE_END: {
        std::vector<std::size_t>& here = open[event.track_uuid()];
        REQUIRE(!here.empty());
        result.slices[here.back()].end = packet.timestamp();
        return here.pop_back();
      }
      case TrackEvent::TYPE_COUNTER:
        return result.counts[path(event.track_uuid())].push_back(
            {.at = packet.timestamp(), .value = event.double_counter_value()});
      default: FAIL("an event of no type");
    }
  }
};

}  // namespace

const DecodedSlice& Decoded::slice(const std::string& name) const {
  const auto found = std::ranges::find(slices, name, &DecodedSlice::name);
  REQUIRE_MESSAGE(found != slices.end(), name);
  return *found;
}

Decoded decoded(const std::string& bytes) {
  Trace trace;
  REQUIRE(trace.ParseFromString(bytes));
  Reader reader;
  for (const TracePacket& packet : trace.packet()) reader.take(packet);
  for (const auto& [track, slices] : reader.open) CHECK(slices.empty());
  return std::move(reader.result);
}

}  // namespace kbsim::test
