#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/explain/keys.hpp"

namespace kbsim::explain {

/// What of a path has something in common.
struct Share {
  std::string name;
  Time time{};
  std::int64_t count = 0;  // of segments
};

/// What of a path is of one operation: from its kernel's call to its end.
struct OpShare {
  std::string op;    // "sip0.cube0.pe3:17", as the op log counts
  std::string what;  // "div f16 [16, 8]"
  Time time{};
  std::int64_t count = 0;  // of segments
  std::string line = {};   // of the kernel, "kernels/x.cpp:46"; "" where none is known
};

/// What a key does on either side of its value, as long as everybody is served in the order in which he was.
struct Sides {
  double less_ns = 0.0;  // slope below the value: how many ns longer for one more of its unit
  double more_ns = 0.0;  // above it
  /// The values between which no other cause overtakes on the path; none: as far as was looked.
  std::optional<double> from = {};
  std::optional<double> to = {};
};

/// A key of the configuration along a path, as if nothing but its own terms changed: exact while no other
/// cause overtakes.
struct Derivative {
  std::string key;
  std::string unit;
  double value = 0.0;
  Time time{};            // of the path, that the key's terms take
  double count = 0.0;     // of a latency: how many ns longer for one more of its unit; 0 of a rate
  double slope_ns = 0.0;  // the same, of a rate before rounding
  /// How much shorter the path gets, as a part of its length, if the key gets better by a part.
  double elasticity = 0.0;
  /// Of a rate: how often so many bytes pass at that share of it, or so much other work is done.
  std::map<std::pair<std::int64_t, double>, std::int64_t> bytes = {};
  Rounding rounding = Rounding::bandwidth;
  bool shared = false;  // another key has the same time
  /// Of a latency: how often a unit of the value adds so many ns.
  std::map<double, std::int64_t> paid = {};
  /// Where all causes are known.
  std::optional<Sides> sides = {};

  [[nodiscard]] bool is_rate() const { return !bytes.empty(); }
  /// How much longer the path gets with another value, each of its terms rounded anew.
  [[nodiscard]] Time change(double to) const;
  /// How many ns longer for one more of its unit, if it had that value, before rounding.
  [[nodiscard]] double slope_at(double at) const;
};

/// What isn't on the path.
struct Slack {
  std::string place;
  std::string kind;
  Time least{};  // so much later each work there could have ended
  std::int64_t works = 0;
};

/// How much later something could have ended, everything else being later only because of it.
struct Margin {
  Time end{};  // without the end of the path coming later, while everybody is served in the order in which he
               // was
  Time steady{};  // of that, as long as no order flips: then it is exact
};

/// An operation that isn't on the path.
struct OpSlack {
  std::string op;    // as OpShare
  std::string what;  // likewise
  Time ended{};
  Margin margin;
  std::string line = {};  // likewise
};

inline constexpr int kAllRanks = -1;

/// Where the time of a path went, the greatest first; the times of reasons, kinds and places sum to its
/// length.
struct Explanation {
  std::string of;  // "the run", "launch 2 of rank 0"
  Path path;
  std::vector<Share> reasons;
  std::vector<Share> kinds;
  std::vector<Share> places;
  std::vector<Share> lines;  // of kernels; what is of none is left out
  std::vector<OpShare> ops;  // likewise; none if the log keeps no operations
  std::vector<Share> waits;  // parts of the path in which something waited; the rest is left out
  std::vector<Derivative> keys;
  std::vector<Share> keyless = {};  // of reasons, what no key says the length of
  std::string kernel = {};          // of a launch or a collective; "" of all else
  int rank = 0;                     // of a launch; kAllRanks of a collective
  int collective = 0;               // of a launch its collective, and of a collective: which, from 1 on
  // Where all causes are known.
  std::vector<Derivative> off_path = {};  // keys that aren't on it, but would be behind their ranges
  std::vector<Slack> slacks = {};
  std::vector<OpSlack> op_slacks = {};  // that come nearest to it, the nearest first
  std::optional<Margin> margin = {};    // against the end of the run
};
/// So many of its keys are in the text, and of operations that aren't on it.
inline constexpr std::size_t kShownKeys = 6;
inline constexpr std::size_t kShownOps = 3;

/// The marks are those that the path was made with.
[[nodiscard]] Explanation explain(std::string of, Path path, const hw::Machine& machine,
                                  const OpMarks* marks = nullptr);

/// "critical path of the run, 2811.942 ns: 62 % overhead; cube.noc.router.overhead_ns matters most", a line.
[[nodiscard]] std::string sentence(const Explanation& explanation);
/// Behind it where Causes::gave_up_all().
inline constexpr const char* kGaveUpAll =
    "too many moments to keep all their causes: slopes on both sides, ranges and slacks aren't known\n";

/// That line, a bar, and how each list begins.
[[nodiscard]] std::string to_text(const Explanation& explanation);
/// A wait that somebody may end, if it is a quarter of the length; else the longest reason: "overhead 62 %".
[[nodiscard]] std::string limited_by(const Explanation& explanation);
[[nodiscard]] boost::json::object to_json(const Explanation& explanation, const hw::Machine& machine,
                                          const OpMarks* marks = nullptr);

}  // namespace kbsim::explain
