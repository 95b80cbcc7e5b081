#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/repeats.hpp"
#include "kbsim/llm/meeting.hpp"
#include "kbsim/llm/operation_span.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::inference {

/// The treatment of a segment that equals an earlier one.
enum class OnRepeat : std::uint8_t {
  skip,
  verify,  // simulate it, and compare it with the earlier one
};

/// The segments of a run: launches of its steps, from an attention to the next one. The first one of a step
/// has the embedding, the last one the head.
struct SegmentCounts {
  std::int64_t simulated = 0;
  std::int64_t repeated = 0;  // skipped, or verified
  std::string refused;        // why none can be repeated; empty: no part of the machine refuses
};

/// A rank's part of a segment.
struct SegmentPart {
  std::string key;                       // says what is launched
  std::int64_t layer = 0;                // the first
  std::vector<std::uint64_t> addresses;  // physical, of all tensors that its launches use
};

/// Finds segments of a run that equal an earlier one. All ranks begin a segment together, and end it
/// together, at no cost in simulated time. Segments are equal if all ranks' keys are, if they begin at
/// borders with equal states, and if their tensors have equal addresses modulo what the memories look at.
class EqualSegments {
 public:
  EqualSegments(hw::Machine& machine, OnRepeat on, int ranks);

  /// Goes on when all ranks have come here.
  [[nodiscard]] Task<> begin(int rank, SegmentPart part);
  /// True if the segment that has begun is skipped; then each rank waits for time() in place of simulating
  /// it.
  [[nodiscard]] bool skips() const { return equal_ != nullptr && on_ == OnRepeat::skip; }
  [[nodiscard]] Time time() const { return equal_->work.time(); }
  /// The rank's spans in the skipped segment.
  [[nodiscard]] std::vector<OperationSpan> spans(int rank) const;
  /// Goes on when all ranks have come here. InternalError if the segment equals an earlier one and differs
  /// from it.
  [[nodiscard]] Task<> end(int rank, std::vector<OperationSpan> spans);

  /// From now on nothing is skipped, for this reason.
  void refuse(std::string why);
  [[nodiscard]] const SegmentCounts& counts() const { return counts_; }

 private:
  // A segment that was simulated from border to border; spans by rank.
  struct Known {
    hw::BorderedWork work;
    std::vector<std::int64_t> layers;  // by rank, the first
    std::vector<std::vector<OperationSpan>> spans;
  };
  void all_begin();
  void all_end();
  void verify(const std::optional<hw::BorderState>& end) const;
  [[nodiscard]] const Known* find_equal() const;

  hw::Repeats repeats_;
  OnRepeat on_;
  Meeting meeting_;
  std::vector<SegmentPart> parts_;  // of the present segment, by rank
  std::vector<std::vector<OperationSpan>> spans_;
  std::string key_;
  std::optional<hw::BorderState> border_;  // its begin
  const Known* equal_ = nullptr;
  std::multimap<std::string, Known> known_;
  SegmentCounts counts_;
  bool off_ = false;
};

}  // namespace kbsim::inference
