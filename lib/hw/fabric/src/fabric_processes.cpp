// The fabrics of a machine's processes: what each keeps for itself, and what they share.
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/fabric/i_shortcut.hpp"

#include "paths.hpp"
#include "shared_places.hpp"

namespace kbsim::hw {
namespace {

// Takes what other processes have left over.
template <class T>
void take_spare(std::mutex& mutex, std::vector<T*>& spare, std::vector<T*>& mine) {
  constexpr std::size_t kMost = 1024;
  const std::scoped_lock lock{mutex};
  const std::size_t count = std::min(kMost, spare.size());
  mine.insert(mine.end(), spare.end() - static_cast<std::ptrdiff_t>(count), spare.end());
  spare.resize(spare.size() - count);
}

template <class T>
void leave_half(std::vector<T*>& mine, std::vector<T*>& spare) {
  const auto half = mine.begin() + static_cast<std::ptrdiff_t>(mine.size() / 2);
  spare.insert(spare.end(), half, mine.end());
  mine.erase(half, mine.end());
}

}  // namespace

Fabric::Fabric(Fabric& whole, Simulation& sim)
    : sim_{sim}, graph_{whole.graph_}, paths_{std::make_unique<Paths>(whole.graph_)}, places_{whole.places_} {
  ensure(whole.causes_ == nullptr,
         "causes are kept in the order of all events, which several processes don't have");
  places_->fabrics.push_back(this);
  know_places();
}

void Fabric::know_places() {
  links_ = places_->links;
  components_ = places_->components;
  arrivals_ = places_->arrivals;
  sources_ = places_->sources;
}

Fabric& Fabric::owner(NodeId node) const { return component(node).fabric(); }

bool Fabric::is_whole() const { return places_->fabrics.size() == 1; }

Attribution Fabric::attribution() const {
  Attribution all;
  for (const Fabric* fabric : places_->fabrics) {
    all.messages += fabric->attribution_.messages;
    all.split += fabric->attribution_.split;
  }
  return all;
}

void Fabric::exact_packets() {
  for (Fabric* const fabric : places_->fabrics) {
    fabric->is_exact_ = true;
    fabric->ahead_ = nullptr;
  }
}

void Fabric::trace_messages() {
  ensure(places_->fabrics.size() == 1, "messages of several processes leave no traces");
  notes_ |= kTraces;
  exact_packets();
}

// From now on the packet is like one that was sent in this process for a later time.
void Fabric::come_over(Packet& crossed, LiveLink& link) {
  Packet& packet = allocate();
  packet = crossed;
  packet.late = 0;
  constexpr std::size_t kEnough = 4096;
  if (free_messages_.size() > kEnough) [[unlikely]]
    give_spare();
  if (ahead_ != nullptr) return ahead_->arrive(packet, link);
  arrive_by_event(packet, link);
}

// A process keeps its packets, so that it finds all that are on their way in it: for_each_packet().
Packet& Fabric::fresh_packet() { return packets_.emplace_back(); }

// A message, new or spare. A single process has no spare ones.
Message& Fabric::fresh_message() {
  if (places_->fabrics.size() > 1) take_spare(places_->spare, places_->messages, free_messages_);
  if (free_messages_.empty()) return messages_.emplace_back();
  Message& one = *free_messages_.back();
  free_messages_.pop_back();
  return one;
}

// A process that takes more messages than it sends collects free ones. Others have use for half of them.
void Fabric::give_spare() {
  const std::scoped_lock lock{places_->spare};
  leave_half(free_messages_, places_->messages);
}

}  // namespace kbsim::hw
