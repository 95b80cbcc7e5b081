#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/digest.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::hw {

/// Addresses of accesses. `stream`: reads from the slice's begin, writes from its middle; they conflict in a
/// bank when both advance alike. `random`: anywhere. `one_bank`: a new row of the same bank each time.
/// `banks`: a new row each time, banks in turn.
enum class MemoryPattern { stream, random, one_bank, banks };
/// UsageError with the nearest name if it is none of them.
[[nodiscard]] MemoryPattern memory_pattern_named(std::string_view name);

/// The times of each are kept until the end.
inline constexpr std::int64_t kMostAccesses = 50'000'000;

struct MemoryTrafficRequest {
  MemoryPattern pattern = MemoryPattern::stream;
  double read_share = 1.0;
  Bytes access{32};
  std::optional<double> load;    // of the raw bandwidth, at random times; none: `outstanding` at any time
  std::int64_t outstanding = 0;  // accesses; 0: more than any queue holds
  Bytes total{4_MiB};            // the minimum to access
  std::uint64_t seed = 1;
};

struct MemoryTrafficResult {
  Bytes bytes;
  Bandwidth raw;
  std::vector<Time> reads;   // ascending: from arrival to the last byte
  std::vector<Time> writes;  // likewise
  Time simulated{};          // to the last byte of all
  Digest digest;

  /// Share of the raw bandwidth.
  [[nodiscard]] double efficiency() const;
};

/// A signal has interrupted the run.
class MemoryTrafficInterrupted : public Interrupted {
 public:
  MemoryTrafficInterrupted(const std::string& text, std::shared_ptr<const MemoryTrafficResult> served)
      : Interrupted{text}, so_far{std::move(served)} {}
  /// Results of the finished accesses; null if none has finished.
  std::shared_ptr<const MemoryTrafficResult> so_far;
};

/// Drives the timing model of one HBM slice alone, without a fabric, in its scheduler's order of service.
/// MemoryTrafficInterrupted after a signal. UsageError if the scheduler picks among requests and so needs a
/// machine, the request is out of range, or its pattern needs banks where there are none.
[[nodiscard]] MemoryTrafficResult run_memory_traffic(const topology::Graph& graph, NodeId slice,
                                                     const MemoryTrafficRequest& request);

}  // namespace kbsim::hw
