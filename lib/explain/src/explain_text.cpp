// An explanation for a terminal; it fits on a screen.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/role.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/explain/explanation.hpp"

namespace kbsim::explain {
namespace {

double percent(Time part, Time all) {
  return all > Time{0} ? 100.0 * static_cast<double>(part.count()) / static_cast<double>(all.count()) : 0.0;
}

std::span<const Share> first(const std::vector<Share>& all, std::size_t most) {
  return std::span{all}.first(std::min(most, all.size()));
}

constexpr std::string_view kLetters = "#=+-:.~o*%";

// A reason's letter in the bar; a space after the last letter.
char letter(std::size_t i) { return i < kLetters.size() ? kLetters[i] : ' '; }

// Each reason's part in whole letters, rounded so that they fill the bar.
std::string bar(const Explanation& what) {
  constexpr std::int64_t kWidth = 60;
  std::string text;
  Time before{};
  for (std::size_t i = 0; i < what.reasons.size(); ++i) {
    before += what.reasons[i].time;
    text.resize(static_cast<std::size_t>(kWidth * before / what.path.length()), letter(i));
  }
  return text;
}

std::string titled(std::string_view title) { return std::string{title} + "\n"; }

std::string row(std::string_view begin, const Share& share, Time all) {
  return fmt::format("  {}{:<40} {:>14} {:5.1f} % {:>7}\n", begin, share.name, to_string(share.time),
                     percent(share.time, all), share.count);
}

std::string rows(std::string_view title, std::span<const Share> shares, Time all) {
  if (shares.empty()) return "";
  std::string text = titled(fmt::format("  {}", title));
  for (const Share& share : shares) text += row("  ", share, all);
  return text;
}

// Operations of one line with the same result, as in a loop.
struct Alike {
  std::string name;
  std::string longest;
  Time time{};
  std::int64_t operations = 0;
};

// "messages.cpp:52" of "kernels/collective/messages.cpp:52": by line of a kernel it stands whole.
std::string_view file_of(std::string_view line) { return line.substr(line.rfind('/') + 1); }

std::vector<Alike> alike(const std::vector<OpShare>& longest_first) {
  std::map<std::string, Alike> by_name;
  for (const OpShare& one : longest_first) {
    const std::string name =
        one.line.empty() ? one.what : fmt::format("{} at {}", one.what, file_of(one.line));
    Alike& group = by_name.try_emplace(name, Alike{.name = name, .longest = one.op}).first->second;
    group.time += one.time;
    ++group.operations;
  }
  std::vector<Alike> all;
  for (auto& [name, group] : by_name) all.push_back(std::move(group));
  std::ranges::sort(all, [](const Alike& a, const Alike& b) {
    return std::tie(b.time, a.name) < std::tie(a.time, b.name);
  });
  return all;
}

std::string op_rows(const Explanation& what) {
  constexpr std::size_t kMost = 5;
  if (what.ops.empty()) return "";
  std::string text = titled("  by operation of the op log, those of a line together    number, the longest");
  const std::vector<Alike> groups = alike(what.ops);
  const auto shown = std::span{groups}.first(std::min(kMost, groups.size()));
  std::size_t width = 31;
  for (const Alike& one : shown) width = std::max(width, one.name.size());
  for (const Alike& one : shown)
    text +=
        wrapped(fmt::format("    {:<{}} {:>12} {:5.1f} % {:>4}  {}\n", one.name, width, to_string(one.time),
                            percent(one.time, what.path.length()), one.operations, one.longest),
                6);
  return text;
}

std::string reasons(const Explanation& what) {
  std::string text = titled("  by reason                                          time           times");
  for (std::size_t i = 0; i < what.reasons.size(); ++i)
    text += row(fmt::format("{} ", letter(i)), what.reasons[i], what.path.length());
  return text;
}

// How much shorter the path gets if the key gets 10 % better, in percent of its length. Each term is rounded
// anew.
double gain(const Explanation& what, const Derivative& key) {
  constexpr double kBetter = 0.1;
  const double to = !key.is_rate() ? key.value * (1.0 - kBetter) : key.value * (1.0 + kBetter);
  return -percent(key.change(to), what.path.length());
}

// True if the first key takes at least as long as the part without keys. An engine's time may follow from no
// key.
bool is_known(const Explanation& what) {
  Time of_keys{};
  for (const Derivative& key : what.keys) of_keys += key.shared ? Time{0} : key.time;
  return !what.keys.empty() && what.keys.front().time >= what.path.length() - of_keys;
}

// The reason of most of the time without a key.
std::string keyless(const Explanation& what) {
  const std::vector<Share>& of = what.keyless.empty() ? what.reasons : what.keyless;
  return of.empty() ? "" : fmt::format("  most of it has no key in this list: {}\n", of.front().name);
}

// Remedies of the waits that a key of the machine or of the algorithm may end.
std::string remedies(const Explanation& what) {
  std::string text;
  for (std::size_t i = 0; i < what.path.waits.size(); ++i) {
    const std::string_view remedy = remedy_of(static_cast<hw::Reason>(i));
    if (remedy.empty() || 10 * what.path.waits[i] < what.path.length()) continue;
    text += wrapped(fmt::format("  what may help: {}\n", remedy), 4);
  }
  if (!is_known(what)) return text;
  const Derivative& key = what.keys.front();
  constexpr double kPrinted = 0.05;  // percent: less is 0.0 in the text
  if (gain(what, key) < kPrinted) return text;
  return text + wrapped(fmt::format("  what may help: 10 % better {}, {:.1f} % less time\n", key.key,
                                    gain(what, key)),
                        4);
}

// The longest wait that a setting may end, if it is a quarter of the length.
std::optional<hw::Reason> governing_wait(const Explanation& what) {
  std::optional<hw::Reason> longest;
  Time wait{};
  for (std::size_t i = 0; i < what.path.waits.size(); ++i) {
    const auto reason = static_cast<hw::Reason>(i);
    if (remedy_of(reason).empty() || what.path.waits[i] <= wait) continue;
    longest = reason;
    wait = what.path.waits[i];
  }
  return 4 * wait >= what.path.length() ? longest : std::nullopt;
}

std::string limit_line(const Explanation& what) {
  std::string text = fmt::format("  limited by  {} ({})", limited_by(what), bound_of(what));
  if (!what.places.empty()) text += ", the longest part at " + what.places.front().name;
  if (!what.lines.empty()) text += ", " + what.lines.front().name;
  return wrapped(text + "\n", 14);
}

std::string slope_text(const Derivative& key, double slope_ns) {
  const bool is_latency = !key.is_rate() && grid_of(key.unit) == Grid::picoseconds;
  if (is_latency) return fmt::format("{:g} ps a ps", slope_ns);
  constexpr double kMany = 1000.0;  // whole ns: no exponents
  const std::string ns =
      std::abs(slope_ns) >= kMany ? fmt::format("{:.0f}", slope_ns) : fmt::format("{:.4g}", slope_ns);
  return fmt::format("{} ns a {}", ns, key.unit.empty() ? "1" : one_of(key.unit));
}

std::string behind_number(const std::string& unit) { return unit.empty() ? "" : " " + unit; }

// " up to 16.563 ns", " from 8.097 ns", " from 12 to 203 GB/s".
std::string range_text(const Sides& sides, const std::string& unit) {
  if (!sides.from) return fmt::format(" up to {:.6g}{}", *sides.to, behind_number(unit));
  if (!sides.to) return fmt::format(" from {:.6g}{} on", *sides.from, behind_number(unit));
  return fmt::format(" from {:.6g} to {:.6g}{}", *sides.from, *sides.to, behind_number(unit));
}

// The slopes where they differ, and the range in which they hold.
std::string sides_text(const Derivative& key) {
  if (!key.sides) return "";
  const Sides& sides = *key.sides;
  std::string text;
  const std::string below = slope_text(key, sides.less_ns);
  const std::string above = slope_text(key, sides.more_ns);
  if (below != above) {
    text = fmt::format("; {} below, {} above", below, above);
  } else if (below != slope_text(key, key.slope_ns)) {
    text = fmt::format("; {} within a step", below);
  }
  const bool nowhere = sides.from == key.value && sides.to == key.value;
  if (nowhere) return text + "; at this value alone";
  if (sides.from || sides.to) text += "; holds" + range_text(sides, key.unit);
  return text;
}

std::string keys(const Explanation& what) {
  if (what.keys.empty()) return "";
  const auto shown = std::span{what.keys}.first(std::min(kShownKeys, what.keys.size()));
  std::size_t width = std::string_view{"keys on it"}.size();
  for (const Derivative& one : shown) width = std::max(width, one.key.size());
  std::string text = titled(fmt::format("  {:<{}} 10 % better  of its length", "keys on it", width + 2));
  for (const Derivative& one : shown)
    text += wrapped(
        fmt::format("    {:<{}} {:5.2f} % less {:5.1f} %  {}, at {:g}{}{}\n", one.key, width, gain(what, one),
                    percent(one.time, what.path.length()), slope_text(one, one.slope_ns), one.value,
                    behind_number(one.unit), sides_text(one)),
        8);
  return text;
}

std::string margin_text(const Margin& margin) {
  if (margin.steady == margin.end) return "";
  return fmt::format("; by {} until an order flips", to_string(margin.steady));
}

std::string op_slacks(const Explanation& what) {
  if (what.op_slacks.empty()) return "";
  std::string text = titled("  operations not on it                               could have ended later by");
  for (const OpSlack& slack : std::span{what.op_slacks}.first(std::min(kShownOps, what.op_slacks.size())))
    text += wrapped(fmt::format("    {:<54} {:>12}{}\n", fmt::format("{} {}", slack.op, slack.what),
                                to_string(slack.margin.end), margin_text(slack.margin)),
                    8);
  return text;
}

// Places nearest to the path.
std::string off_path(const Explanation& what) {
  constexpr std::size_t kMost = 5;
  if (what.slacks.empty()) return op_slacks(what);
  std::string text = titled("  not on it                                          could have ended later by");
  for (const Slack& slack : std::span{what.slacks}.first(std::min(kMost, what.slacks.size())))
    text += fmt::format("    {:<54} {:>12}\n", slack.place, to_string(slack.least));
  return text + op_slacks(what);
}

}  // namespace

std::string sentence(const Explanation& what) {
  std::string text = fmt::format("critical path of {}, {}: ", what.of, to_string(what.path.length()));
  if (what.reasons.empty()) return text + "it takes no time\n";
  text += fmt::format("{:.0f} % {}", percent(what.reasons.front().time, what.path.length()),
                      what.reasons.front().name);
  if (!what.waits.empty() && 100 * what.waits.front().time >= what.path.length())
    text += fmt::format("; {:.0f} % waiting for {}", percent(what.waits.front().time, what.path.length()),
                        what.waits.front().name);
  if (is_known(what) && !governing_wait(what))
    text += fmt::format("; {} matters most", what.keys.front().key);
  if (what.margin && what.margin->end > Time{0})
    text +=
        fmt::format("; could have ended {} later{}", to_string(what.margin->end), margin_text(*what.margin));
  return text + "\n";
}

std::string bound_of(const Explanation& what) {
  const std::optional<hw::Reason> wait = governing_wait(what);
  if (!wait) return what.bound;
  return *wait == hw::Reason::window_free ? "too few requests in flight" : "backpressure";
}

std::string limited_by(const Explanation& what) {
  if (what.reasons.empty()) return "";
  if (const std::optional<hw::Reason> wait = governing_wait(what))
    return fmt::format("{} {:.0f} %", wait_name(*wait),
                       percent(what.path.waits[static_cast<std::size_t>(*wait)], what.path.length()));
  return fmt::format("{} {:.0f} %", what.reasons.front().name,
                     percent(what.reasons.front().time, what.path.length()));
}

ExplanationText text_of(const Explanation& what) {
  const Time all = what.path.length();
  if (all == Time{0}) return {.headline = wrapped(sentence(what), 2)};
  std::string details = "  [" + bar(what) + "]\n" + reasons(what);
  details += rows("waits, within the same time", what.waits, all);
  details += rows("by kind of component", first(what.kinds, 6), all);
  details += rows("the places that matter", first(what.places, 5), all);
  details += rows("by line of a kernel", first(what.lines, 5), all);
  details += op_rows(what);
  details += keys(what) + off_path(what);
  std::string notes = is_known(what) ? "" : keyless(what);
  if (what.path.steps)
    notes +=
        "  refreshes, looks and clock edges come in steps: what waits for one counts as on the average\n";
  if (what.path.ties > 0 && what.slacks.empty())
    notes += fmt::format(
        "  at {} of its moments another cause came at the same time: more of a key may cost more, "
        "less of it save less\n",
        what.path.ties);
  return {.limit = limit_line(what),
          .headline = wrapped(sentence(what), 2),
          .details = std::move(details) + wrapped(notes, 4),
          .remedies = remedies(what)};
}

}  // namespace kbsim::explain
