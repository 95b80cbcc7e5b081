// Perfetto's protobuf: https://perfetto.dev/docs/reference/synthetic-track-event
#include <map>
#include <optional>
#include <set>
#include <string>

#include "kbsim/base/utf8.hpp"
#include "kbsim/trace/timeline.hpp"

#include "kinds.hpp"
#include "perfetto.pb.h"
#include "trace_lanes.hpp"

namespace kbsim::trace {
namespace {

using kbsim::perfetto::TracePacket;
using kbsim::perfetto::TrackEvent;

constexpr std::uint32_t kSequence = 1;
constexpr std::uint32_t kNeedsInterned = 2;

enum class Note : std::uint64_t { start_ps = 1, duration_ps, bytes, count, id, detail, at, cut, unfinished };
constexpr auto kNotes = std::to_array<std::string_view>(
    {"start_ps", "duration_ps", "bytes", "count", "id", "detail", "at", "cut", "unfinished"});

// Numbers of interned texts begin with 1.
std::uint64_t iid(StringId id) { return std::uint64_t{id} + 1; }
std::uint64_t iid(SliceKind kind) { return static_cast<std::uint64_t>(kind) + 1; }

/// Writes packets, some at a time.
class PacketWriter {
 public:
  PacketWriter(TimeUnit unit, const Sink& sink) : unit_{unit}, sink_{sink} {}
  ~PacketWriter() = default;
  PacketWriter(const PacketWriter&) = delete;
  PacketWriter& operator=(const PacketWriter&) = delete;

  TracePacket& next() {
    constexpr int kAtOnce = 256;
    if (trace_.packet_size() == kAtOnce) flush();
    TracePacket& packet = *trace_.add_packet();
    packet.set_trusted_packet_sequence_id(kSequence);
    return packet;
  }
  TrackEvent& event(Time at, TrackEvent::Type type, std::uint64_t track) {
    TracePacket& packet = next();
    const auto ps = static_cast<std::uint64_t>(at.count());
    packet.set_timestamp(unit_ == TimeUnit::ps ? ps : ps / 1000);
    packet.set_sequence_flags(kNeedsInterned);
    TrackEvent& event = *packet.mutable_track_event();
    event.set_type(type);
    event.set_track_uuid(track);
    return event;
  }
  void flush() {
    text_.clear();
    trace_.AppendToString(&text_);
    trace_.Clear();
    if (!text_.empty()) sink_(text_);
  }

 private:
  TimeUnit unit_;
  const Sink& sink_;
  kbsim::perfetto::Trace trace_;
  std::string text_;
};

/// Writes a timeline.
class PerfettoTrace {
 public:
  PerfettoTrace(Timeline& timeline, TimeUnit unit, const Sink& sink)
      : timeline_{timeline}, out_{unit, sink} {}

  void write() {
    describe_root();
    for (TrackId track = 0; track < timeline_.tracks.size(); ++track) describe(track, 0);
    intern();
    write_slices();
    for (const Series& series : timeline_.series) write(series);
    out_.flush();
  }

 private:
  static std::uint64_t uuid(TrackId track, std::size_t lane) {
    return (std::uint64_t{lane} << 33) + track + 2;
  }
  static constexpr std::uint64_t kRoot = 1;

  void describe_root() {
    auto& root = *out_.next().mutable_track_descriptor();
    root.set_uuid(kRoot);
    root.set_name(as_utf8(timeline_.title));
    root.set_child_ordering(kbsim::perfetto::TrackDescriptor::EXPLICIT);
  }

  void describe(TrackId id, std::size_t lane) {
    const Track& track = timeline_.tracks[id];
    auto& descriptor = *out_.next().mutable_track_descriptor();
    descriptor.set_uuid(uuid(id, lane));
    descriptor.set_name(as_utf8(track.name));
    descriptor.set_parent_uuid(track.parent == kNoTrack ? kRoot : uuid(track.parent, 0));
    descriptor.set_child_ordering(kbsim::perfetto::TrackDescriptor::EXPLICIT);
    descriptor.set_sibling_order_rank(track.order);
  }

  // Interns all texts at once: they are in memory anyway.
  void intern() {
    TracePacket& packet = out_.next();
    packet.set_sequence_flags(1);
    auto& data = *packet.mutable_interned_data();
    for (const KindRow& row : kKinds) {
      auto& category = *data.add_event_categories();
      category.set_iid(iid(row.kind));
      category.set_name(std::string{row.category});
    }
    for (std::size_t i = 0; i < kNotes.size(); ++i) {
      auto& name = *data.add_debug_annotation_names();
      name.set_iid(i + 1);
      name.set_name(std::string{kNotes[i]});
    }
    for (StringId id = 0; id < timeline_.strings.size(); ++id) {
      auto& name = *data.add_event_names();
      name.set_iid(iid(id));
      name.set_name(as_utf8(timeline_.strings[id]));
      auto& text = *data.add_debug_annotation_string_values();
      text.set_iid(iid(id));
      text.set_str(as_utf8(timeline_.strings[id]));
    }
  }

  void write_slices() {
    Lanes lanes;
    std::set<std::pair<TrackId, std::size_t>> described;
    std::optional<TrackId> track;
    const auto ended = [&](std::size_t lane, const Slice& slice) { end(slice, lane); };
    timeline_.slices.for_each([&](const Slice& slice) {
      if (track != slice.track) lanes.finish(ended);
      track = slice.track;
      const std::size_t lane = lanes.push(slice, ended);
      if (lane > 0 && described.insert({slice.track, lane}).second) describe(slice.track, lane);
      begin(slice, lane);
    });
    lanes.finish(ended);
  }

  void begin(const Slice& slice, std::size_t lane) {
    TrackEvent& event = out_.event(slice.start, TrackEvent::TYPE_SLICE_BEGIN, uuid(slice.track, lane));
    event.add_category_iids(iid(slice.kind));
    event.set_name_iid(iid(slice.name));
    for (std::uint64_t i = 0; i < slice.flows; ++i) {
      if (timeline_.has_flow(slice.to + i)) event.add_flow_ids(slice.to + i);
    }
    if (!slice.ends_flow_last) end_flow(event, slice);
    note(event, Note::start_ps, slice.start.count());
    note(event, Note::duration_ps, slice.duration().count());
    if (slice.bytes != 0) note(event, Note::bytes, slice.bytes);
    if (slice.count != 0) note(event, Note::count, static_cast<std::int64_t>(slice.count));
    if (slice.id != 0) note(event, Note::id, static_cast<std::int64_t>(slice.id));
    if (slice.detail != 0) note_text(event, Note::detail, slice.detail);
    if (slice.at != 0) note_text(event, Note::at, slice.at);
    if (slice.cut) note_true(event, Note::cut);
    if (slice.unfinished) note_true(event, Note::unfinished);
  }

  void end(const Slice& slice, std::size_t lane) {
    if (slice.ends_flow_last && timeline_.has_flow(slice.from)) {
      TrackEvent& event = out_.event(slice.end(), TrackEvent::TYPE_INSTANT, uuid(slice.track, lane));
      event.add_category_iids(iid(slice.kind));
      event.set_name_iid(iid(slice.name));
      end_flow(event, slice);
    }
    (void)out_.event(slice.end(), TrackEvent::TYPE_SLICE_END, uuid(slice.track, lane));
  }

  void end_flow(TrackEvent& event, const Slice& slice) const {
    if (slice.from != 0 && timeline_.has_flow(slice.from)) event.add_terminating_flow_ids(slice.from);
  }

  static kbsim::perfetto::DebugAnnotation& add(TrackEvent& event, Note note) {
    auto& annotation = *event.add_debug_annotations();
    annotation.set_name_iid(static_cast<std::uint64_t>(note));
    return annotation;
  }
  static void note(TrackEvent& event, Note note, std::int64_t value) {
    add(event, note).set_int_value(value);
  }
  static void note_text(TrackEvent& event, Note note, StringId text) {
    add(event, note).set_string_value_iid(iid(text));
  }
  static void note_true(TrackEvent& event, Note note) { add(event, note).set_bool_value(true); }

  // Writes a value where it changes, and 0 at the end.
  void write(const Series& series) {
    const std::uint64_t track = uuid(static_cast<TrackId>(timeline_.tracks.size()), 0) + written_++;
    auto& descriptor = *out_.next().mutable_track_descriptor();
    descriptor.set_uuid(track);
    descriptor.set_name(as_utf8(series.name));
    descriptor.set_parent_uuid(uuid(series.track, 0));
    descriptor.mutable_counter()->set_unit_name(series.unit);
    double last = -1.0;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      if (series.values[i] == last) continue;
      last = series.values[i];
      count(timeline_.begin + static_cast<std::int64_t>(i) * timeline_.window, track, last);
    }
    if (last != 0.0) count(timeline_.end, track, 0.0);
  }
  void count(Time at, std::uint64_t track, double value) {
    out_.event(at, TrackEvent::TYPE_COUNTER, track).set_double_counter_value(value);
  }

  Timeline& timeline_;
  PacketWriter out_;
  std::uint64_t written_ = 0;  // series
};

}  // namespace

void require_perfetto() {}

void write_perfetto(Timeline& timeline, TimeUnit unit, const Sink& sink) {
  PerfettoTrace{timeline, unit, sink}.write();
}

}  // namespace kbsim::trace
