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
#include "kbsim/hw/fabric/unit_use.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/topology/traffic_pattern.hpp"

namespace kbsim::hw {

/// Send times of a source. `poisson`: random. `bernoulli`: with a probability in every service time of a
/// flit, or in every half, third, ... of it at rates above one packet. `saturated`: whenever its link is
/// free.
enum class Arrivals { poisson, bernoulli, saturated };
/// UsageError with the nearest name if it is none of the three.
[[nodiscard]] Arrivals arrivals_named(std::string_view name);

/// The highest permitted rate. Packets that a source's link can't carry yet wait before it.
inline constexpr double kMostRate = 100.0;
inline constexpr std::int64_t kMostPackets = 50'000'000;  // their times are kept until the end
inline constexpr int kMostOutstanding = 65'536;           // of a source

/// Rates are in packets per service time and source. The service time is that of an average packet on a link
/// of the network; an endpoint without a rate of its own has that link's rate.
struct TrafficRequest {
  Arrivals arrivals = Arrivals::poisson;
  double rate = 0.5;  // above 0, at most kMostRate; not used if saturated or closed
  Bytes packet{256};
  Bytes other{0};       // packets of a second size; 0: none
  double mix = 1.0;     // the share of packets that have the first
  int outstanding = 0;  // closed loop: packets in flight of each source; 0: open
  Bytes reply{0};       // closed loop: a packet is in flight until the reply to it is back; 0: none
  std::int64_t packets = 100'000;  // average number sent during the measurement
  std::int64_t warmup = 10'000;    // number before it, and after it (none in a closed loop)
  std::uint64_t seed = 1;
  bool by_events = false;  // each packet has an event at each hop, everywhere
  /// The run ends with the measured window and doesn't wait for packets under way. Open loop only.
  bool window_only = false;
  SimulationOptions simulation;

  /// Mean size of a packet.
  [[nodiscard]] double mean_bytes() const;
};

/// Measurements of a source; rates in packets per service time.
struct SourceResult {
  std::size_t source = 0;
  std::int64_t packets = 0;  // the latency is their sum
  Time latency{};
  double offered = 0.0;
  double accepted = 0.0;
};

/// Measurements of packets of one size.
struct SizeResult {
  Bytes bytes;
  std::vector<Time> latencies;  // ascending
  std::vector<Time> waits;      // ascending
};

/// Results for the packets sent within the measured window (closed loop: arrived). `accepted`, `utilization`
/// and `demand` are of that window.
struct TrafficResult {
  double offered = 0.0;
  double accepted = 0.0;
  Time service{};
  Time measured{};                  // how long
  Bytes bytes;                      // arrived within that time
  std::vector<Time> latencies;      // ascending
  std::vector<Time> waits;          // ascending: latency without overhead, wire and serialization
  std::vector<Time> round_trips;    // ascending; of a closed loop
  std::vector<SourceResult> each;   // by active source
  std::vector<SizeResult> sizes;    // if there are two
  std::vector<double> utilization;  // by LinkId
  std::vector<double> demand;       // by LinkId: the mean number of packets on it or waiting for it
  std::vector<UnitUse> use;         // by LinkId, of the whole run
  std::vector<Time> blocked;        // by LinkId, likewise: free, but without room downstream
  /// Packets sent within the window and not arrived at the end of the run; with window_only.
  std::optional<std::int64_t> under_way;
  std::uint64_t hops = 0;  // links that packets crossed, in the whole run
  std::uint64_t events = 0;
  Time simulated{};
  Digest digest;
};

/// Jain's index of the sources' accepted rates: 1 if all are equal, 1/n if one of n has all.
[[nodiscard]] double fairness(const std::vector<SourceResult>& each);

/// A signal has interrupted the traffic.
class TrafficInterrupted : public Interrupted {
 public:
  TrafficInterrupted(const std::string& text, std::shared_ptr<const TrafficResult> measured)
      : Interrupted{text}, so_far{std::move(measured)} {}
  /// Results of the packets that had arrived, measured up to then; null during the warm-up.
  std::shared_ptr<const TrafficResult> so_far;
};

/// UsageError with what was expected.
void check_request(const TrafficRequest& request);

/// Runs synthetic traffic to its end; TrafficInterrupted after a signal. UsageError if the request is out of
/// range; the fabric's audit holds.
[[nodiscard]] TrafficResult run_traffic(const topology::TrafficCase& traffic, const TrafficRequest& request);

}  // namespace kbsim::hw
