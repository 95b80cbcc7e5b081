#pragma once

#include <map>
#include <vector>

#include "kbsim/hw/traffic/i_endpoint.hpp"
#include "kbsim/hw/traffic/i_open_traffic.hpp"
#include "kbsim/hw/traffic/traffic.hpp"

#include "traffic_window.hpp"

namespace kbsim::hw {

/// Adds up deliveries: in total, by source and by size.
class TrafficTally {
 public:
  TrafficTally(const topology::TrafficCase& traffic, const TrafficRequest& request,
               const TrafficWindow& window, Time service);

  void add(const IEndpoint::Delivery& delivery);
  void add(const IOpenTraffic::Delivery& delivery, Bytes size);
  void expect(std::size_t packets);
  void add(const IEndpoint::RoundTrip& trip);
  [[nodiscard]] bool empty() const { return result_.latencies.empty(); }
  /// UsageError if no packet was measured.
  [[nodiscard]] TrafficResult take() &&;

 private:
  [[nodiscard]] bool is_closed() const { return request_.outstanding > 0; }
  struct Packet {
    NodeId from;
    Bytes size;
    Time sent{};
    Time arrived{};
    Time alone{};  // latency of an uncontended packet
    std::size_t links = 0;
  };
  void add(const Packet& packet);
  [[nodiscard]] SizeResult& of_size(Bytes size);

  const TrafficRequest& request_;
  TrafficWindow window_;
  double services_;                     // the window's length in service times
  std::vector<SourceResult*> sources_;  // by node
  TrafficResult result_;
};

}  // namespace kbsim::hw
