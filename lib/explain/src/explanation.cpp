#include "kbsim/explain/explanation.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "segments.hpp"

namespace kbsim::explain {
namespace {

// Sums by name.
class Shares {
 public:
  void add(const std::string& name, Time time, std::int64_t count) {
    Share& share = by_name_[name];
    share.name = name;
    share.time += time;
    share.count += count;
  }
  [[nodiscard]] std::vector<Share> sorted() const {
    std::vector<Share> all;
    for (const auto& [name, share] : by_name_) all.push_back(share);
    std::ranges::sort(all, [](const Share& a, const Share& b) {
      return std::tie(b.time, a.name) < std::tie(a.time, b.name);
    });
    return all;
  }

 private:
  std::map<std::string, Share> by_name_;
};

std::vector<OpShare> shares_of_ops(const std::vector<Segment>& segments, const OpMarks* marks,
                                   const Causes& causes) {
  std::map<oplog::ValueId, OpShare> by_id;
  for (const Segment& segment : segments) {
    if (segment.op == 0 || segment.length() == Time{0}) continue;
    const oplog::ValueId id = marks->id(segment.op);
    OpShare& share = by_id[id];
    share.time += segment.to - std::max(segment.from, marks->called(id));
    share.count += segment.count;
    if (!segment.others && segment.line != 0) share.line = line_name(causes, segment.line);
  }
  std::vector<OpShare> all;
  for (auto& [id, share] : by_id) {
    share.op = marks->name(id);
    share.what = marks->what(id);
    all.push_back(std::move(share));
  }
  std::ranges::sort(all, [](const OpShare& a, const OpShare& b) {
    return std::tie(b.time, a.op) < std::tie(a.time, b.op);
  });
  return all;
}

void add(Derivative& to, const Term& term) {
  to.key = term.key;
  to.unit = term.unit;
  to.value = term.value;
  to.time += term.time;
  to.count += term.count;
  to.slope_ns += term.slope_ns();
  to.rounding = term.rounding;
  to.shared = term.shared;
  if (term.is_rate()) {
    to.bytes[{term.bytes, term.share}] += term.times;
  } else if (term.times != 0) {
    to.paid[term.count / static_cast<double>(term.times)] += term.times;
  }
}

// Merges the segments of one kind at one place into one: a path has many segments, but few kinds.
std::vector<Segment> summed(const std::vector<Segment>& segments) {
  using Kind = std::tuple<hw::Reason, bool, bool, bool, std::uint32_t, std::int64_t, std::uint32_t, Time>;
  std::map<Kind, Segment> by_kind;
  for (const Segment& one : segments) {
    const bool varies = one.reason == hw::Reason::engine;
    const Time each = varies ? one.length() / one.count : Time{0};
    const Kind kind{one.reason, one.others, one.cut, one.count < 0, one.place, one.amount, one.line, each};
    const auto [known, fresh] = by_kind.try_emplace(kind, one);
    if (fresh) continue;
    known->second.to += one.length();
    known->second.count += one.count;
  }
  std::vector<Segment> all;
  for (const auto& [kind, segment] : by_kind) all.push_back(segment);
  return all;
}

std::vector<Derivative> derivatives_of(const Path& path, const std::vector<Segment>& sums,
                                       const hw::Machine& machine) {
  std::map<std::string, Derivative> by_key;
  for (const Segment& segment : sums) {
    for (const Term& term : terms_of(segment, machine)) add(by_key[term.key], term);
  }
  std::vector<Derivative> all;
  for (auto& [key, derivative] : by_key) {
    const double length = to_ns(path.length());
    if (length > 0.0) derivative.elasticity = std::abs(derivative.slope_ns) * derivative.value / length;
    all.push_back(derivative);
  }
  std::ranges::sort(all, [](const Derivative& a, const Derivative& b) {
    return std::tie(b.time, a.key) < std::tie(a.time, b.key);
  });
  return all;
}

}  // namespace

Time Derivative::change(double to) const {
  Time sum{};
  const auto taken = [this](double ns) {
    return rounding == Rounding::down ? rounded_down(ns) : from_ns(ns);
  };
  for (const auto& [each, times] : paid) sum += times * (taken(each * to) - taken(each * value));
  for (const auto& [piece, times] : bytes) {
    sum +=
        Term{
            .value = value, .bytes = piece.first, .times = times, .share = piece.second, .rounding = rounding}
            .change(to);
  }
  return sum;
}

double Derivative::slope_at(double at) const {
  return bytes.empty() ? slope_ns : slope_ns * value * value / at / at;
}

Explanation explain(std::string of, Path path, const hw::Machine& machine, const OpMarks* marks) {
  const Causes& causes = *machine.sim().causes();
  Shares reasons;
  Shares kinds;
  Shares places;
  Shares lines;
  Shares waits;
  Shares keyless;
  Shares bounds;
  const std::vector<Segment> sums = summed(path.segments);
  std::vector<Segment> of_keys = sums;
  std::ranges::move(summed(path.unseen), std::back_inserter(of_keys));
  for (const Segment& segment : sums) {
    if (segment.length() == Time{0}) continue;
    reasons.add(std::string{reason_name(segment)}, segment.length(), segment.count);
    kinds.add(place_kind(segment, machine.graph()), segment.length(), segment.count);
    places.add(place_name(segment, machine.graph()), segment.length(), segment.count);
    bounds.add(bound_word(segment, machine.graph()), segment.length(), segment.count);
    if (terms_of(segment, machine).empty())
      keyless.add(std::string{reason_name(segment)}, segment.length(), segment.count);
    if (segment.line != 0) lines.add(line_name(causes, segment.line), segment.length(), segment.count);
  }
  for (std::size_t i = 0; i < path.waits.size(); ++i) {
    if (path.waits[i] > Time{0})
      waits.add(std::string{wait_name(static_cast<hw::Reason>(i))}, path.waits[i], 1);
  }
  std::vector<Derivative> keys = derivatives_of(path, of_keys, machine);
  std::vector<OpShare> ops = shares_of_ops(path.segments, marks, causes);
  const std::vector<Share> bounded = bounds.sorted();
  return {.of = std::move(of),
          .path = std::move(path),
          .reasons = reasons.sorted(),
          .kinds = kinds.sorted(),
          .places = places.sorted(),
          .lines = lines.sorted(),
          .ops = std::move(ops),
          .waits = waits.sorted(),
          .bound = bounded.empty() ? "" : bounded.front().name,
          .keys = std::move(keys),
          .keyless = keyless.sorted()};
}

}  // namespace kbsim::explain
