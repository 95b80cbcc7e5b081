#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kbsim/topology/noc_network.hpp"

namespace kbsim::hw {

/// Issue times of recorded events. `open`: the recorded time. `closed`: the recorded time since the previous
/// barrier's end, from that barrier's simulated end.
enum class NocLoop { open, closed };

/// A barrier that waited for something, from its first outstanding transfer on; recorded and simulated.
struct NocBarrier {
  std::size_t stream = 0;  // the processor
  int node = 0;
  std::int64_t first = 0;     // cycle at which its first transfer was recorded
  std::int64_t measured = 0;  // cycles from there to its recorded end
  double predicted = 0.0;     // cycles from there to its simulated end
  std::int64_t transfers = 0;
  bool reads = false;  // reads are among them
};

/// The events of one processor in the order of time.
using NocStream = std::function<std::optional<topology::NocEvent>()>;

/// Called for each barrier at its simulated end; barriers of one time are ordered by processor.
using NocBarrierSink = std::function<void(const NocBarrier&)>;

struct NocResult {
  std::uint64_t transfers = 0;
  std::int64_t bytes = 0;
  std::uint64_t barriers = 0;   // that waited for something
  std::uint64_t most_live = 0;  // peak number of transfers and barriers under way
  double cycles = 0.0;          // until all is done
  std::uint64_t events = 0;     // of the simulator
};

/// Replays the recorded events of processors on a network of NOCs, in simulated time.
///
/// A read's request reaches its target's NIU after NIU, hops and the memory's latency. The NIU answers
/// `outstanding` requests at a time, its inputs taking turns. An answer takes a channel of each link on its
/// route, one after the other, in order of arrival, and holds them until its last byte has left. Answers with
/// all their channels share links, NIUs and memories max-min fairly. A write is an answer without a request.
/// Memory grows with what is under way (`most_live`), not with events or barriers.
NocResult replay_noc(const topology::NocNetwork& network, const std::vector<NocStream>& streams, NocLoop loop,
                     const NocBarrierSink& ended);

}  // namespace kbsim::hw
