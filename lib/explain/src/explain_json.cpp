// A complete explanation as a file.
#include <algorithm>
#include <span>

#include <boost/json/array.hpp>

#include "kbsim/explain/explanation.hpp"

#include "segments.hpp"

namespace kbsim::explain {
namespace {

boost::json::array to_json(std::span<const Share> shares) {
  boost::json::array all;
  for (const Share& share : shares)
    all.push_back(
        boost::json::object{{"name", share.name}, {"ps", share.time.count()}, {"count", share.count}});
  return all;
}

boost::json::value or_null(const std::optional<double>& value) {
  return value ? boost::json::value(*value) : boost::json::value(nullptr);
}

boost::json::array to_json(const std::vector<Slack>& slacks) {
  boost::json::array all;
  for (const Slack& slack : slacks) {
    all.push_back(boost::json::object{
        {"place", slack.place}, {"kind", slack.kind}, {"ps", slack.least.count()}, {"works", slack.works}});
  }
  return all;
}

boost::json::array to_json(const std::vector<OpSlack>& slacks) {
  boost::json::array all;
  for (const OpSlack& slack : slacks) {
    all.push_back(boost::json::object{{"op", slack.op},
                                      {"what", slack.what},
                                      {"line", slack.line},
                                      {"end_ps", slack.ended.count()},
                                      {"ps", slack.margin.end.count()},
                                      {"steady_ps", slack.margin.steady.count()}});
  }
  return all;
}

boost::json::value to_json(const std::optional<Margin>& margin) {
  if (!margin) return nullptr;
  return boost::json::object{{"ps", margin->end.count()}, {"steady_ps", margin->steady.count()}};
}

boost::json::array to_json(const std::vector<Derivative>& keys) {
  boost::json::array all;
  for (const Derivative& key : keys) {
    boost::json::object row{{"key", key.key},           {"value", key.value},
                            {"unit", key.unit},         {"ps", key.time.count()},
                            {"slope_ns", key.slope_ns}, {"elasticity", key.elasticity}};
    if (!key.is_rate()) {
      row["count"] = key.count;
    } else {
      boost::json::array pieces;
      for (const auto& [piece, times] : key.bytes)
        pieces.push_back(boost::json::array{piece.first, piece.second, times});
      row["bytes_share_times"] = std::move(pieces);
    }
    if (key.shared) row["shared"] = true;
    if (key.sides) {
      row["slope_less_ns"] = key.sides->less_ns;
      row["slope_more_ns"] = key.sides->more_ns;
      row["range"] = boost::json::array{or_null(key.sides->from), or_null(key.sides->to)};
    }
    all.push_back(std::move(row));
  }
  return all;
}

// Amounts of other reasons aren't bytes.
bool has_bytes(hw::Reason reason) {
  using hw::Reason;
  return reason != Reason::engine && (reason < Reason::column || reason > Reason::port_time);
}

boost::json::array to_json(const std::vector<OpShare>& ops) {
  boost::json::array all;
  for (const OpShare& share : ops) {
    all.push_back(boost::json::object{{"op", share.op},
                                      {"what", share.what},
                                      {"line", share.line},
                                      {"ps", share.time.count()},
                                      {"count", share.count}});
  }
  return all;
}

boost::json::object to_json(const Segment& segment, const hw::Machine& machine, const OpMarks* marks) {
  boost::json::object row{{"from_ps", segment.from.count()},
                          {"to_ps", segment.to.count()},
                          {"reason", reason_name(segment)},
                          {"kind", place_kind(segment, machine.graph())},
                          {"place", place_name(segment, machine.graph())},
                          {"count", segment.count}};
  if (segment.amount > 0 && has_bytes(segment.reason)) row["bytes"] = segment.amount;
  if (const std::vector<Term> terms = terms_of(segment, machine); !terms.empty())
    row["key"] = terms.front().key;
  if (segment.line != 0) row["line"] = line_name(*machine.sim().causes(), segment.line);
  if (segment.op != 0) row["op"] = marks->name(marks->id(segment.op));
  if (segment.cut) row["cut"] = true;
  return row;
}

boost::json::array segments_json(const Path& path, const hw::Machine& machine, const OpMarks* marks) {
  boost::json::array all;
  for (const Segment& segment : path.segments) {
    if (segment.length() > Time{0}) all.push_back(to_json(segment, machine, marks));
  }
  return all;
}

}  // namespace

boost::json::object to_json(const Explanation& what, const hw::Machine& machine, const OpMarks* marks,
                            Extent extent) {
  const std::span<const Share> places{what.places};
  boost::json::object all{
      {"of", what.of},
      {"kernel", what.kernel},
      {"rank", what.rank},
      {"collective", what.collective > 0 ? boost::json::value(what.collective) : boost::json::value(nullptr)},
      {"begin_ps", what.path.begin.count()},
      {"end_ps", what.path.end.count()},
      {"length_ps", what.path.length().count()},
      {"limited_by", limited_by(what)},
      {"bound", bound_of(what)},
      {"ties", what.path.ties},
      {"reasons", to_json(what.reasons)},
      {"waits", to_json(what.waits)},
      {"kinds", to_json(what.kinds)},
      {"places", to_json(places.first(std::min(kMostPlaces, places.size())))},
      {"lines", to_json(what.lines)},
      {"ops", to_json(what.ops)},
      {"keys", to_json(what.keys)},
      {"off_path", to_json(what.off_path)},
      {"slack", to_json(what.slacks)},
      {"op_slack", to_json(what.op_slacks)},
      {"own_slack", to_json(what.margin)}};
  if (places.size() > kMostPlaces) all["places_left_out"] = places.size() - kMostPlaces;
  if (extent == Extent::sums)
    all["short"] = true;
  else
    all["path"] = segments_json(what.path, machine, marks);
  return all;
}

}  // namespace kbsim::explain
