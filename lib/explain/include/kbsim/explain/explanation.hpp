#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/explain/advice.hpp"
#include "kbsim/explain/keys.hpp"

namespace kbsim::explain {

/// The part of a path with a common reason, kind, place or kernel line.
struct Share {
  std::string name;
  Time time{};
  std::int64_t count = 0;  // of segments
};

/// The part of a path that belongs to one operation, from its kernel's call to its end.
struct OpShare {
  std::string op;    // "sip0.cube0.pe3:17", as the op log counts
  std::string what;  // "div f16 [16, 8]"
  Time time{};
  std::int64_t count = 0;  // of segments
  std::string line = {};   // of the kernel, "kernels/x.cpp:46"; "" where none is known
};

/// The effect of a key on either side of its value, while the order of service stays the same.
struct Sides {
  double less_ns = 0.0;  // slope below the value: how many ns longer for one more of its unit
  double more_ns = 0.0;  // above it
  /// The range in which no other cause overtakes on the path; none: beyond the range searched.
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
  /// Relative decrease of the path's length per relative improvement of the key.
  double elasticity = 0.0;
  /// For a rate: how often each number of bytes passes at each share of the rate, or other work is done.
  std::map<std::pair<std::int64_t, double>, std::int64_t> bytes = {};
  Rounding rounding = Rounding::bandwidth;
  bool shared = false;  // another key has the same time
  /// For a latency: how often each number of ns per unit of the value is added.
  std::map<double, std::int64_t> paid = {};
  /// Only where all causes are known.
  std::optional<Sides> sides = {};

  [[nodiscard]] bool is_rate() const { return !bytes.empty(); }
  /// How much longer the path gets with another value, each of its terms rounded anew.
  [[nodiscard]] Time change(double to) const;
  /// Slope at the value `at`: how many ns longer for one more of its unit, before rounding.
  [[nodiscard]] double slope_at(double at) const;
};

/// A place that isn't on the path.
struct Slack {
  std::string place;
  std::string kind;
  Time least{};  // each work there could have ended at least this much later
  std::int64_t works = 0;
};

/// How much later something could have ended, where all other delays follow from it.
struct Margin {
  Time end{};     // without a later end of the path, while the order of service stays the same
  Time steady{};  // the part of it in which no order flips: exact
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

/// Where the time of a path went, the greatest first. The times of reasons, kinds and places each sum to its
/// length.
struct Explanation {
  std::string of;  // "the run", "launch 2 of rank 0"
  Path path;
  std::vector<Share> reasons;
  std::vector<Share> kinds;
  std::vector<Share> places;
  std::vector<Share> lines;  // of kernels; parts without a line are left out
  std::vector<OpShare> ops;  // likewise; none if the log keeps no operations
  std::vector<Share> waits;  // parts of the path in which something waited; the rest is left out
  std::string bound;         // bound_word() of most of its time
  std::vector<Derivative> keys;
  std::vector<Share> keyless = {};  // of reasons: the part whose length follows from no key
  std::string kernel = {};          // of a launch or a collective; "" otherwise
  int rank = 0;                     // of a launch; kAllRanks of a collective
  int collective = 0;  // number of the collective, from 1; of a launch, the collective it belongs to
  // Where all causes are known.
  std::vector<Derivative> off_path = {};  // keys off the path that would be on it beyond their ranges
  std::vector<Slack> slacks = {};
  std::vector<OpSlack> op_slacks = {};  // nearest to the path first
  std::optional<Margin> margin = {};    // against the end of the run
};
/// How many keys, and operations off the path, the text shows.
inline constexpr std::size_t kShownKeys = 6;
inline constexpr std::size_t kShownOps = 3;

/// `marks` are the ones that the path was made with.
[[nodiscard]] Explanation explain(std::string of, Path path, const hw::Machine& machine,
                                  const OpMarks* marks = nullptr);

/// One line: "critical path of the run, 2811.942 ns: 62 % overhead; cube.noc.router.overhead_ns matters
/// most".
[[nodiscard]] std::string sentence(const Explanation& explanation);
/// Follows the sentence if Causes::gave_up_all().
inline constexpr const char* kGaveUpAll =
    "too many moments to keep all their causes: slopes on both sides, ranges and slacks aren't known\n";

/// The parts of an explanation for a terminal; answer_of() and to_text() (finding.hpp) join them.
struct ExplanationText {
  std::string limit = {};     // the limit with its place and line
  std::string headline = {};  // the sentence
  std::string details = {};   // a bar, and the first entries of each list
  std::string remedies = {};  // of waits, and the best key
};
[[nodiscard]] ExplanationText text_of(const Explanation& explanation);
/// The field's word for what bounds a path of such segments: "HBM-bound", "UCIe-bound", "compute-bound
/// (GEMM)", "latency-bound".
[[nodiscard]] std::string bound_word(const Segment& segment, const topology::Graph& graph);
/// Likewise of the path: "backpressure" if it mostly waits for slots or queues, else its `bound`.
[[nodiscard]] std::string bound_of(const Explanation& explanation);
/// A wait that another party may end, if it is a quarter of the length; else the longest reason, as in
/// "overhead 62 %".
[[nodiscard]] std::string limited_by(const Explanation& explanation);
/// Segments are the larger part of a document: `sums` leaves them out and marks the path with "short". Lists
/// have at most kMostPlaces places, the longest; "places_left_out" is the number of others.
enum class Extent : std::uint8_t { segments, sums };
inline constexpr std::size_t kMostPlaces = 1000;
[[nodiscard]] boost::json::object to_json(const Explanation& explanation, const hw::Machine& machine,
                                          const OpMarks* marks = nullptr, Extent extent = Extent::segments);

}  // namespace kbsim::explain
