#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/i_switch.hpp"

namespace kbsim::hw {

/// A node's switch, and when it is to allocate(), each time once.
struct NodeSwitch {
  std::unique_ptr<ISwitch> model;
  std::vector<Time> wakes = {};
};

/// A node that sends messages: how many so far, and where to lately, by which path.
struct MessageSource {
  std::uint64_t sequence = 0;
  std::array<NodeId, 2> to{};
  std::array<Path*, 2> paths{};  // none: nowhere
};

/// The nodes and links of a machine. Those of several processes are in one place, and each process touches
/// its own alone; where there are several, messages that one has too many of go to those who need some.
struct SharedPlaces {
  std::vector<LiveLink> links;
  std::vector<Fabric*> fabrics;                       // the whole one first
  std::vector<Component*> components;                 // these by node
  std::vector<std::uint32_t> inputs;                  // how many links end there
  std::vector<std::unique_ptr<NodeSwitch>> switches;  // none at all where no node has one
  std::vector<std::unique_ptr<Merge<Packet>>> arrivals;
  std::vector<MessageSource> sources;

  std::mutex spare;  // of these:
  std::vector<Message*> messages;
};

}  // namespace kbsim::hw
