#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

class Component;

/// The packets of one time that a component takes now. Other packets may be inserted meanwhile.
class NodeBatches {
 public:
  /// Gives the packets one by one.
  class Taking {
   public:
    Taking(NodeBatches& batches, const Component& component, std::vector<Packet*>& packets)
        : batches_{&batches}, component_{&component}, packets_{&packets} {
      batches.taking_ = this;
    }
    Taking(const Taking&) = delete;
    Taking& operator=(const Taking&) = delete;
    ~Taking() { batches_->taking_ = nullptr; }
    /// The next packet; nullptr: there is none.
    [[nodiscard]] Packet* next() {
      if (at_ == packets_->size()) return nullptr;
      Packet* const packet = (*packets_)[at_++];
      port_ = packet->port;
      return packet;
    }

   private:
    friend class NodeBatches;
    NodeBatches* batches_;
    const Component* component_;
    std::vector<Packet*>* packets_;
    std::size_t at_ = 0;
    std::uint32_t port_ = 0;  // ingress port of the present packet, which may be gone
  };
  /// True if a packet that arrives there at this time, in that batch, has gone on by now.
  [[nodiscard]] bool has_passed(Component& component, std::uint32_t batch, const Packet& packet) const;
  /// Inserts the packet among those that the component takes now. False: it takes none now.
  [[nodiscard]] bool joins(const Component& component, Packet& packet);

 protected:
  ~NodeBatches() = default;

 private:
  Taking* taking_ = nullptr;  // by the component that takes packets now
};

}  // namespace kbsim::hw
