// mine.on_off by itself, on networks of synthetic traffic: exact times of a case that can be computed by
// hand, and a saturated ring, which must lose nothing.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kbsim/hw/machine.hpp>
#include <kbsim/hw/traffic/i_endpoint.hpp>
#include <kbsim/topology/traffic_network.hpp>

namespace {

using namespace kbsim;
using hw::IEndpoint;

constexpr Bytes kPacket{256};
constexpr Time kOverhead = 5_ns;

struct Thresholds {
  std::int64_t queue;
  std::int64_t stop;
  std::int64_t go;
};

/// Routers with on/off flow control and an endpoint at each.
class Network {
 public:
  Network(const std::string& scope, Thresholds at, topology::EndpointRates rates = {})
      : traffic_{topology::traffic_network(spec_of(at), scope, rates)} {}
  ~Network() { sim_.clear(); }

  /// A source sends that number of packets as fast as its link can.
  void send(std::size_t from, std::size_t to, int packets) {
    const IEndpoint::Departure one{.at = {}, .to = traffic_.sinks[to], .size = kPacket};
    machine_.at<IEndpoint>(traffic_.sources[from]).send([one, packets]() mutable {
      return packets-- > 0 ? std::optional{one} : std::nullopt;
    });
  }
  void run() {
    sim_.run();
    machine_.fabric().audit();
  }
  [[nodiscard]] const std::vector<IEndpoint::Delivery>& at(std::size_t sink) {
    return machine_.at<IEndpoint>(traffic_.sinks[sink]).deliveries();
  }
  [[nodiscard]] std::size_t size() const { return traffic_.sinks.size(); }
  /// The links on the way between two endpoints.
  [[nodiscard]] std::vector<topology::Link> route(std::size_t from, std::size_t to) const {
    std::vector<topology::Link> all;
    for (const LinkId id : topology::find_route(traffic_.graph, traffic_.sources[from], traffic_.sinks[to]))
      all.push_back(traffic_.graph.link(id));
    return all;
  }

 private:
  static config::MachineSpec spec_of(Thresholds at) {
    config::MachineSpec spec;
    spec.cube.noc.router = {.impl = "mine.on_off",
                            .attrs = {{"overhead_ns", to_ns(kOverhead)},
                                      {"queue_packets", at.queue},
                                      {"stop_packets", at.stop},
                                      {"go_packets", at.go}}};
    return spec;
  }

  topology::TrafficNetwork traffic_;
  Simulation sim_;
  oplog::OpLog log_;
  hw::Machine machine_{sim_, traffic_.graph, log_};
};

// A queue that stops at one packet and goes on at none has one packet at a time. The next one leaves the
// router before when the signal is there: the packet's wire and overhead, and the signal's wire, after the
// last one.
//
//   sent(i + 1) = sent(i) + max(service, wire + overhead + wire)
bool one_by_one() {
  constexpr int kPackets = 20;
  Network line{"mesh:4x1", {.queue = 1, .stop = 1, .go = 0}};
  line.send(0, 3, kPackets);
  line.run();
  const std::vector<topology::Link> route = line.route(0, 3);
  const topology::Link& hop = route[1];  // between two routers, like all but the first and the last
  const Time service = serialization(kPacket, hop.bandwidth);
  Time first = service;
  for (const topology::Link& link : route) first += link.wire;
  first += kOverhead * static_cast<std::int64_t>(route.size() - 1);
  const Time period = std::max(service, hop.wire + kOverhead + hop.wire);
  if (line.at(3).size() != kPackets || period == service) return false;
  for (std::int64_t i = 0; i < kPackets; ++i) {
    if (line.at(3)[static_cast<std::size_t>(i)].arrived != first + period * i) return false;
  }
  return true;
}

// Every endpoint sends to the one three further on: the ring's links carry three times what they can.
bool saturated(Thresholds at) {
  constexpr int kPackets = 300;
  Network ring{"ring:8", at};
  for (std::size_t i = 0; i < ring.size(); ++i) ring.send(i, (i + 3) % ring.size(), kPackets);
  ring.run();
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (ring.at(i).size() != kPackets) return false;
  }
  return true;
}

bool overflows(Thresholds at) try {
  (void)saturated(at);
  return false;
} catch (const Error& error) {  // of the switch's process
  return error.exit_code() == ExitCode::deadlock;
}

bool say(const char* what, bool right) {
  std::printf("%s: %s\n", what, right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main() try {
  bool right = say("packets one by one", one_by_one());
  right = say("a saturated ring loses nothing", saturated({.queue = 6, .stop = 4, .go = 2})) && right;
  right = say("a queue that stops too late overflows", overflows({.queue = 4, .stop = 5, .go = 2})) && right;
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
