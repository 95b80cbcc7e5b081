#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/hw/fabric/live_link.hpp"
#include "kbsim/hw/fabric/service_contract.hpp"
#include "kbsim/sim/pool_queue.hpp"

#include "../i_link_claim.hpp"
#include "back_off.hpp"
#include "train.hpp"

namespace kbsim::hw {

/// Items of a link in the order in which it serves them: by time, then by port. They are removed at the front
/// when their time is past, and at the back when a packet arrives before them.
template <class T>
using InOrder = PoolQueue<T>;

/// Packets of one size and route that have crossed shadowed links, which have yet to count them.
struct Crossed {
  const LinkId* shadow = nullptr;  // as in Reservation
  std::uint16_t shadowed = 0;
  Bytes size;
  std::int64_t packets = 0;
  Time start{};  // of the last one, at the link that shadows these
  Time end{};
};

/// State of a link for reservations, in addition to LiveLink.
struct alignas(64) LinkAhead {
  /// How the downstream node treats packets before the last of their message. `observed`: it observes each.
  /// `counted`: it only counts them. `served`: it may serve them later. `passed`: it passes them on to a node
  /// that does.
  enum class End : std::uint8_t { observed, counted, served, passed };

  InOrder<Reservation> reservations;
  Time overhead{};           // of its node
  Train* train = nullptr;    // the last that began at its end, while that may grow
  BackOff back_off;          // back-off of packets that arrive by it
  BackOff own_back_off;      // of a source: back-off of packets that begin there
  bool passes_on = false;    // its node only passes packets on
  bool is_source = false;    // its node sends only when it takes packets
  bool is_known = false;     // some route leads over it
  bool is_shadowed = false;  // no packet waits: all arrive by `before`, which is no faster
  End end = End::observed;
  // Only for a source:
  Train* own_train = nullptr;    // the last that began there, while that may grow
  Time posted{};                 // when the last packet that leaves by an event does so
  LiveLink* before = nullptr;    // by which all packets arrive, on known routes
  InOrder<Reservation> passing;  // served here; may still cross the links that this one shadows
  std::vector<Crossed> crossed;  // have crossed those, too: the last kinds of packets, the latest first
  // For unobserved packets:
  InOrder<UnobservedPackets> unobserved;  // that have crossed the link
  ILateReceiver* receiver = nullptr;      // the component at its end, if it is one
  LiveLink* downstream = nullptr;         // the next link, by which they are passed on
  std::vector<LiveLink*> merged;          // unobserved packets that arrive by these links cross this one
  ILinkClaim* claim = nullptr;            // its holder knows which packets will cross this link

  /// Adds packets that have crossed the link.
  void add_unobserved(const UnobservedPackets& packets) {
    if (unobserved.empty() || !unobserved.back().join(packets)) unobserved.push_back(packets);
  }
};

}  // namespace kbsim::hw
