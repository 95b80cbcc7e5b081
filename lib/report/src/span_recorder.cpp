#include "kbsim/report/span_recorder.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "span_kinds.hpp"

namespace kbsim::report {
namespace {

using hw::Span;
using hw::SpanKind;
using trace::SliceKind;

constexpr int kGroupFirst = -1'000'000;  // among siblings: cubes and PEs come before single units
constexpr int kLinksLast = 1'000'000;

SliceKind kind_of(const Span& span) {
  switch (span.kind) {
    case SpanKind::program: return SliceKind::program;
    case SpanKind::call: return SliceKind::call;
    case SpanKind::collective: return SliceKind::collective;
    case SpanKind::phase: return SliceKind::phase;
    case SpanKind::order:
      return span.to.kind == hw::SpanFlow::Kind::launch ? SliceKind::launch : SliceKind::order;
    case SpanKind::kernel: return span.detail.empty() ? SliceKind::kernel : SliceKind::collective_kernel;
    case SpanKind::range: return span.rank >= 0 ? SliceKind::host_range : SliceKind::range;
    case SpanKind::wait: return SliceKind::wait;
    case SpanKind::issue: return SliceKind::issue;
    case SpanKind::work: return SliceKind::work;
    case SpanKind::transfer: return SliceKind::transfer;
    case SpanKind::send: return SliceKind::send;
    case SpanKind::receive: return SliceKind::receive;
    case SpanKind::port: return SliceKind::port;
    case SpanKind::link: break;
  }
  return SliceKind::link;
}

// Kinds with very many spans.
bool is_fine(SpanKind kind) { return kind >= SpanKind::port; }

// The line within a rank or node: a PE's queues by the kind of wait, a memory's ports by direction.
std::size_t line_of(const Span& span) {
  if (span.rank >= 0 && span.kind == SpanKind::range) return 2;
  const bool second = span.kind == SpanKind::order || span.kind == SpanKind::receive || span.part == "write";
  return second ? 1 : 0;
}
std::string_view part_of(const Span& span) {
  if (span.kind == SpanKind::send) return "send";
  if (span.kind == SpanKind::receive) return "recv";
  return span.kind == SpanKind::port ? span.part : "";
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

void require_names(const topology::Graph& graph, const std::string& glob) {
  const auto is_rank = [&](int rank) { return fits(glob, fmt::format("rank{}", rank)); };
  const auto is_node = [&](const topology::Node& node) { return fits(glob, node.name); };
  const auto is_link = [&](std::uint32_t link) { return fits(glob, graph.link_name(LinkId{link})); };
  const auto links = std::views::iota(0U, static_cast<std::uint32_t>(graph.links().size()));
  const auto ranks = std::views::iota(0, static_cast<int>(graph.sips().size()));
  if (std::ranges::any_of(ranks, is_rank) || std::ranges::any_of(graph.nodes(), is_node) ||
      std::ranges::any_of(links, is_link))
    return;
  throw UsageError{
      fmt::format("--trace-units '{}': no rank, unit or link has such a name; expected a glob of names as in "
                  "units.csv and "
                  "links.csv, or rank0: 'sip0.cube0.pe*', '*pe_gemm', '*>*'",
                  glob)};
}

}  // namespace

SpanRecorder::SpanRecorder(const topology::Graph& graph, SpanSelection selection)
    : graph_{graph},
      selection_{std::move(selection)},
      levels_{selection_.from, selection_.to},
      link_slices_{selection_.links} {
  if (!selection_.units.empty()) require_names(graph, selection_.units);
  timeline_.begin = selection_.from;
}

trace::TrackId SpanRecorder::track(trace::TrackId parent, const std::string& name, int order, int process,
                                   int stream) {
  const auto fresh = static_cast<trace::TrackId>(timeline_.tracks.size());
  const auto [known, added] = tracks_.try_emplace({parent, name}, fresh);
  if (added)
    timeline_.tracks.push_back(
        {.name = name, .parent = parent, .order = order, .process = process, .stream = stream});
  return known->second;
}

// Package > cube > PE.
trace::TrackId SpanRecorder::track_at(PeCoord at) {
  if (at.sip < 0) return track(trace::kNoTrack, "machine", kLinksLast, -1, -1);
  trace::TrackId id = track(trace::kNoTrack, fmt::format("sip{}", at.sip),
                            static_cast<int>(graph_.sips().size()) + at.sip, at.sip, -1);
  if (at.cube >= 0) id = track(id, fmt::format("cube{}", at.cube), kGroupFirst + at.cube, at.sip, -1);
  if (at.pe >= 0) id = track(id, fmt::format("pe{}", at.pe), kGroupFirst + at.pe, at.sip, -1);
  return id;
}

std::string SpanRecorder::name_of(const Span& span) const {
  if (span.rank >= 0) return fmt::format("rank{}", span.rank);
  return span.link.valid() ? graph_.link_name(span.link) : graph_.node(span.unit).name;
}

trace::TrackId SpanRecorder::track_of(const Span& span, const std::string& full_name) {
  if (span.rank >= 0) {
    const trace::TrackId rank = track(trace::kNoTrack, full_name, span.rank, span.rank, -1);
    if (span.kind == SpanKind::range) return track(rank, "ranges", -1, span.rank, -1);
    const bool orders = span.kind == SpanKind::order;
    return track(rank, orders ? "orders" : "calls", orders ? 1 : 0, span.rank, -1);
  }
  if (span.link.valid()) {
    const topology::Node& from = graph_.node(graph_.link(span.link).from);
    const trace::TrackId links = track(track_at(from.at), "links", kLinksLast, from.at.sip, -1);
    const trace::TrackId link = track(links, full_name, static_cast<int>(span.link.value()), from.at.sip, -1);
    timeline_.tracks[link].says_place = true;
    return link;
  }
  const topology::Node& node = graph_.node(span.unit);
  const std::string_view part = part_of(span);
  const bool is_kernel = node.kind == topology::NodeKind::pe_cpu;
  std::string name = is_kernel ? "kernel" : last_part(full_name);
  if (!part.empty()) name += fmt::format(" {}", part);
  const int pe = node.at.cube * graph_.spec().pes_per_cube() + node.at.pe;
  const bool streams = is_kernel || node.kind == topology::NodeKind::pe_dma;
  PeCoord at = node.at;
  if (!full_name.starts_with(to_string(at) + ".")) at.pe = -1;  // beside its PE, not part of it
  return track(track_at(at), name, static_cast<int>(span.unit.value()), node.at.sip,
               streams ? 2 * pe + (is_kernel ? 0 : 1) : -1);
}

SpanRecorder::Unit& SpanRecorder::unit_of(const Span& span) {
  std::vector<Lines>& all = span.rank >= 0 ? ranks_ : span.link.valid() ? links_ : nodes_;
  const std::size_t number = span.rank >= 0      ? static_cast<std::size_t>(span.rank)
                             : span.link.valid() ? span.link.value()
                                                 : span.unit.value();
  if (number >= all.size()) all.resize(number + 1);
  std::unique_ptr<Unit>& known = all[number][line_of(span)];
  if (known) return *known;
  known = std::make_unique<Unit>();
  Unit& unit = *known;
  const std::string name = name_of(span);
  unit.wanted = fits(selection_.units, name);
  if (unit.wanted) unit.track = track_of(span, name);
  unit.has_slices = unit.wanted && (!is_fine(span.kind) || !selection_.units.empty());
  unit.kind = span.kind;
  unit.busy = unit.waiting = SpanSeries{selection_.from};
  return unit;
}

// `maybe` may be its id: if so, no search is needed.
trace::StringId SpanRecorder::text(std::string_view text, trace::StringId maybe) {
  if (text.empty()) return 0;
  return timeline_.strings[maybe] == text ? maybe : timeline_.strings.id(text);
}

trace::StringId SpanRecorder::place(const std::source_location& at) {
  if (at.line() == 0) return 0;
  trace::StringId& known = places_[{at.file_name(), at.line()}];
  if (known == 0) known = timeline_.strings.id(to_string(to_place(at)));
  return known;
}

// 0: none. A launch has one flow per target; tiles have one for each tile that a ring has held in a launch.
std::uint64_t SpanRecorder::flow_of(const hw::SpanFlow& flow) {
  constexpr std::uint64_t kLaunch = std::uint64_t{1} << 62U;
  if (flow.kind == hw::SpanFlow::Kind::none) return 0;
  if (flow.kind == hw::SpanFlow::Kind::launch) return kLaunch + (flow.a << 24U) + flow.b;
  const std::uint64_t ring = rings_.try_emplace({flow.a, flow.b >> 32U}, rings_.size() + 1).first->second;
  return (ring << 32U) + (flow.b & 0xffff'ffff);
}

trace::Slice SpanRecorder::slice_of(const Span& span, Unit& unit) {
  trace::Slice slice{.track = unit.track,
                     .start = span.start,
                     .minus_end = -span.end.count(),
                     .kind = kind_of(span),
                     .detail = text(span.detail),
                     .part = text(span.part),
                     .at = place(span.at),
                     .bytes = span.bytes.count(),
                     .count = span.count,
                     .id = span.id,
                     .group = span.group,
                     .from = flow_of(span.from),
                     .to = flow_of(span.to)};
  slice.name = span.kind == SpanKind::issue ? slice.at : unit.what = text(span.what, unit.what);
  if (slice.to != 0) slice.flows = span.kind == SpanKind::order ? span.count : 1;
  return slice;
}

void SpanRecorder::count(Unit& unit, Time ready, Time start, Time end) {
  const auto inside = [&](Time t) { return std::clamp(t, selection_.from, selection_.to); };
  unit.busy.add(inside(start), inside(end));
  unit.waiting.add(inside(ready), inside(start));
}

void SpanRecorder::add(const Span& span) {
  Unit& unit = unit_of(span);
  if (!unit.wanted) return;
  if (is_counted(span.kind)) count(unit, span.ready, span.start, span.end);
  if (span.kind == SpanKind::link && selection_.links > 0) return add_link(span, unit);
  if (!unit.has_slices) return;
  const trace::Slice slice = slice_of(span, unit);
  if (!is_fine(span.kind) || selection_.packets) return keep(slice);
  join(unit, slice);
}

void SpanRecorder::add_link(const Span& span, Unit& unit) {
  unit.what = text(span.what, unit.what);
  link_slices_.add(span.link.value(), {.start = span.start,
                                       .end = span.end,
                                       .busy = span.end - span.start,
                                       .bytes = span.bytes.count(),
                                       .packets = span.count,
                                       .message = span.id,
                                       .name = unit.what});
}

void SpanRecorder::finish_links() {
  const trace::StringId several = link_slices_.gap() > Time{0} ? text("several") : 0;
  for (std::size_t link = 0; link < link_slices_.by_link().size(); ++link) {
    for (const LinkSlices::Stretch& one : link_slices_.by_link()[link]) {
      timeline_.slices.add({.track = links_[link][0]->track,
                            .start = one.start,
                            .minus_end = -one.end.count(),
                            .kind = SliceKind::link,
                            .name = one.name != 0 ? one.name : several,
                            .bytes = one.bytes,
                            .count = one.packets,
                            .id = one.message,
                            .idle = one.end - one.start - one.busy});
    }
  }
}

// Merges packets of one message that follow one another without a gap.
void SpanRecorder::join(Unit& unit, const trace::Slice& packet) {
  std::optional<trace::Slice>& joined = unit.joined;
  if (joined && joined->id == packet.id && joined->name == packet.name && joined->end() == packet.start) {
    joined->minus_end = packet.minus_end;
    joined->bytes += packet.bytes;
    joined->count += packet.count;
    return;
  }
  if (joined) keep(*joined);
  joined = packet;
}

void SpanRecorder::open(const void* key, const Span& span) {
  Unit& unit = unit_of(span);
  if (!unit.wanted) return;
  const auto [known, added] = open_.try_emplace(key);
  if (!added) end(known->second, span.start, true);  // it was never ended; its address is reused
  known->second = {.slice = slice_of(span, unit), .unit = &unit};
}

void SpanRecorder::close(const void* key, Time end_time, const hw::SpanFlow& flow) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  Open& opened = found->second;
  if (const std::uint64_t number = flow_of(flow); number != 0) {
    const bool receives = opened.slice.kind == SliceKind::receive;
    (receives ? opened.slice.from : opened.slice.to) = number;
    opened.slice.flows = receives ? 0 : 1;
    opened.slice.ends_flow_last = receives;
  }
  end(opened, end_time, false);
  open_.erase(found);
}

void SpanRecorder::end(Open& opened, Time at, bool unfinished) {
  trace::Slice& slice = opened.slice;
  at = std::max(at, slice.start);
  slice.minus_end = -at.count();
  slice.unfinished = unfinished;
  if (is_counted(opened.unit->kind)) count(*opened.unit, slice.start, slice.start, at);
  keep(slice);
}

// Most slices lie in the window and have no arrows.
void SpanRecorder::keep(const trace::Slice& slice) {
  const bool plain = slice.from == 0 && slice.flows == 0 && slice.start >= selection_.from &&
                     slice.end() < selection_.to && timeline_.slices.size() < selection_.most;
  if (!plain) return keep_part(slice);
  timeline_.slices.add(slice);
}

// Keeps a slice in the window, or its part inside.
void SpanRecorder::keep_part(trace::Slice slice) {
  const auto [from, to] = std::pair{selection_.from, selection_.to};
  const Time start = slice.start;
  const Time end = slice.end();
  if (start >= to || end < from || (end == from && start < end)) return;
  if (timeline_.slices.size() >= selection_.most) {
    full_since_ = std::min(full_since_.value_or(start), start);
    return;
  }
  slice.cut = start < from || end > to;
  slice.start = std::max(start, from);
  slice.minus_end = -std::min(end, to).count();
  const Time arrow = slice.ends_flow_last ? end : start;
  if (arrow < from || arrow > to) slice.from = 0;
  if (slice.from != 0) ended_.push_back(slice.from);
  for (std::uint64_t i = 0; i < slice.flows; ++i) begun_.push_back(slice.to + i);
  timeline_.slices.add(slice);
}

void SpanRecorder::finish_flows() {
  std::ranges::sort(begun_);
  std::ranges::sort(ended_);
  std::ranges::set_intersection(begun_, ended_, std::back_inserter(timeline_.flows));
}

trace::Timeline& SpanRecorder::finish(Time now, std::string title) {
  for (auto& [key, opened] : open_) end(opened, now, true);
  open_.clear();
  for_each_unit([&](Unit& unit) {
    if (unit.joined) keep(*unit.joined);
    unit.joined.reset();
  });
  timeline_.title = std::move(title);
  timeline_.ranks = static_cast<int>(graph_.sips().size());
  timeline_.end = std::max(timeline_.begin, std::min(now, selection_.to));
  finish_flows();
  finish_links();
  finish_series(timeline_.end);
  return timeline_;
}

}  // namespace kbsim::report
