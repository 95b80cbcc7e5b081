#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/i_switch.hpp"
#include "kbsim/hw/fabric/i_switched.hpp"

namespace kbsim::hw {

/// A signal on its way to a switch, over an output's link.
struct Signal {
  Time at{};
  std::uint32_t output = 0;
  std::uint64_t value = 0;
};

/// A node's switch, the times when it must allocate(), each once, and the signals that will come.
struct NodeSwitch {
  std::unique_ptr<ISwitch> model;
  bool is_own = false;  // its component made it
  std::vector<Time> wakes = {};
  std::vector<LinkId> inputs = {};   // by input port, from 1 on; if signals were sent from here
  std::vector<Signal> signals = {};  // in the order of arrival, then of outputs
};

/// A node that sends messages: their number so far, and the last two targets with their paths. Where cubes
/// have several networks, a path also belongs to the network.
struct MessageSource {
  std::uint64_t sequence = 0;
  std::array<NodeId, 2> to{};
  std::array<int, 2> network{};
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
  std::set<NodeId> slots;                             // both ends of links with slots
  std::vector<std::unique_ptr<Merge<Packet>>> arrivals;
  std::vector<MessageSource> sources;
  std::vector<ISwitched*> switched;  // only while the fabric connects; nullptr: its links serve

  std::mutex spare;  // guards `messages`
  std::vector<Message*> messages;
};

}  // namespace kbsim::hw
