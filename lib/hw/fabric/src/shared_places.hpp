#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/i_switch.hpp"

namespace kbsim::hw {

/// A node's switch, and the times when it must allocate(), each once.
struct NodeSwitch {
  std::unique_ptr<ISwitch> model;
  std::vector<Time> wakes = {};
};

/// A node that sends messages: their number so far, and the last two targets with their paths.
struct MessageSource {
  std::uint64_t sequence = 0;
  std::array<NodeId, 2> to{};
  std::array<Path*, 2> paths{};  // nullptr: none
};

/// The nodes and links of a machine, for all its processes; each process touches only its own. Spare messages
/// of one process go to others that need them.
struct SharedPlaces {
  std::vector<LiveLink> links;
  std::vector<Fabric*> fabrics;                       // the whole one first
  std::vector<Component*> components;                 // by node, like the next four
  std::vector<std::uint32_t> inputs;                  // number of links that end there
  std::vector<std::unique_ptr<NodeSwitch>> switches;  // none at all where no node has one
  std::vector<std::unique_ptr<Merge<Packet>>> arrivals;
  std::vector<MessageSource> sources;

  std::mutex spare;  // guards `messages`
  std::vector<Message*> messages;
};

}  // namespace kbsim::hw
