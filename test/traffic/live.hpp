#pragma once

#include <string>
#include <vector>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/traffic/i_endpoint.hpp"

#include "support.hpp"

inline constexpr kbsim::Bytes kPacket{256};
inline constexpr kbsim::Time kService{1'000};  // of it, at 256 GB/s: 1 ns

/// A network in which packets are sent at chosen times, each traced.
class Live {
 public:
  explicit Live(const Case& traffic);

  void send(std::size_t from, std::size_t to, int packets, kbsim::Time at = {}, kbsim::Time gap = {});
  void run() { sim_.run(); }

  [[nodiscard]] const std::vector<kbsim::hw::IEndpoint::Delivery>& deliveries(std::size_t to);
  [[nodiscard]] const kbsim::hw::LiveLink& link(const std::string& name) const;
  [[nodiscard]] const kbsim::hw::Fabric& fabric() const { return machine_.fabric(); }
  [[nodiscard]] const kbsim::topology::TrafficNetwork& network() const { return traffic_.network; }

 private:
  const Case& traffic_;
  kbsim::Simulation sim_;
  kbsim::oplog::OpLog log_;
  kbsim::hw::Machine machine_;
};

/// Numbers of a run at 0.9 of the bound, which no order of ties changes.
void check_ties(const Case& traffic);
