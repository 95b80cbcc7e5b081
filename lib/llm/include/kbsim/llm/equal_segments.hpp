#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/repeats.hpp"
#include "kbsim/llm/operation_span.hpp"

namespace kbsim::inference {

/// The treatment of a segment that equals an earlier one.
enum class OnRepeat : std::uint8_t {
  skip,
  verify,  // simulate it, and compare it with the earlier one
};

/// The segments of a run: embeddings, layers and heads of its steps.
struct SegmentCounts {
  std::int64_t simulated = 0;
  std::int64_t repeated = 0;  // skipped, or verified
  std::string refused;        // why none can be repeated; empty: no part of the machine refuses
};

/// Finds segments of a run that equal an earlier one. Segments are equal if they have the same key, which
/// says what is launched, begin at borders with equal states, and their tensors have equal addresses modulo
/// what the memories look at.
class EqualSegments {
 public:
  EqualSegments(hw::Machine& machine, OnRepeat on) : repeats_{machine}, on_{on} {}

  /// A segment that was simulated from border to border.
  struct Known {
    hw::BorderedWork work;
    std::vector<OperationSpan> spans;
  };
  /// A segment that begins.
  struct Begun {
    std::string key;
    std::optional<hw::BorderState> border;
    const Known* equal = nullptr;
  };

  /// `addresses`: physical, of all that the segment's launches use.
  [[nodiscard]] Begun begin(std::string key, const std::vector<std::uint64_t>& addresses);
  [[nodiscard]] bool skips(const Begun& begun) const {
    return begun.equal != nullptr && on_ == OnRepeat::skip;
  }
  /// The skipped segment ends now. The caller has waited for its time.
  void skipped(const Begun& begun);
  /// The segment was simulated and ends now. InternalError if it equals an earlier one and differs from it.
  void simulated(const Begun& begun, std::vector<OperationSpan> spans);

  [[nodiscard]] const SegmentCounts& counts() const { return counts_; }

 private:
  hw::Repeats repeats_;
  OnRepeat on_;
  std::multimap<std::string, Known> known_;
  SegmentCounts counts_;
};

}  // namespace kbsim::inference
