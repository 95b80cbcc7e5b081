#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/traffic/i_endpoint.hpp"
#include "kbsim/topology/traffic_network.hpp"

namespace kbsim::hw {

/// Open traffic between endpoints that is computed in time steps, without an event per packet. All that is
/// measured is the same as by events.
class IOpenTraffic {
 public:
  static constexpr std::size_t kSizes = 2;
  /// Sizes of packets; 0: no second size.
  using Sizes = std::array<Bytes, kSizes>;
  /// The path from a source to a sink.
  struct Flow {
    Path* path = nullptr;
    const LinkId* route = nullptr;
    NodeId from;
    std::array<Time, kSizes> drain{};  // over the slowest link
    std::array<Time, kSizes> alone{};  // latency of an uncontended packet
  };
  struct Delivery {
    const Flow* flow = nullptr;
    Time sent{};
    Time arrived{};
    std::uint32_t size = 0;  // index of its size
  };

  virtual ~IOpenTraffic() = default;

  /// Adds a source's packets, before the first step.
  virtual void add(std::size_t source, IEndpoint::Stream stream) = 0;
  /// The time before which nothing happens; kForever: nothing is left but packets on their last link.
  [[nodiscard]] virtual Time next() const = 0;
  /// Performs all that happens in a step from next() on, but before `end`.
  virtual void pass(Time end) = 0;
  /// All that happens before this time has happened.
  [[nodiscard]] virtual Time passed() const = 0;
  /// Arrival of the last tail, among packets that have left for their sinks.
  [[nodiscard]] virtual Time last_arrival() const = 0;
  /// Copies the state of its links to the fabric's links.
  virtual void show_links() = 0;
  /// Packets that have left for their sinks, with their times of arrival.
  [[nodiscard]] virtual const std::vector<Delivery>& deliveries() const = 0;
};

/// Open traffic in time steps, in this build. It gives nullptr where the network doesn't allow it: nodes
/// between endpoints must serve in order of arrival and take some time, long enough for many packets of that
/// service time to arrive in a step.
using MakeOpenTraffic = std::unique_ptr<IOpenTraffic> (*)(Machine& machine,
                                                          const topology::TrafficNetwork& network,
                                                          const IOpenTraffic::Sizes& sizes, Time service);
/// nullptr: all traffic goes by events.
[[nodiscard]] MakeOpenTraffic open_traffic_maker();
/// Always true.
bool register_open_traffic(MakeOpenTraffic make) noexcept;

}  // namespace kbsim::hw
