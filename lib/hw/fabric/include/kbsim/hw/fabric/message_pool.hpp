#pragma once

#include <memory>
#include <vector>

#include "kbsim/base/storage.hpp"
#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

struct SharedPlaces;

/// Packets and messages of a process. Free ones are used again, so a run allocates nothing in steady state.
/// Messages may cross to another process; processes that have too many leave some to others.
class MessagePool {
 public:
  MessagePool(const MessagePool&) = delete;
  MessagePool& operator=(const MessagePool&) = delete;

  /// A packet without contents.
  [[nodiscard]] Packet& allocate() {
    if (free_packets_.empty()) return packets_.emplace_back();
    Packet* const packet = free_packets_.back();
    free_packets_.pop_back();
    return *packet;
  }
  void free(Packet& packet) {
    packet.message = nullptr;
    free_packets_.push_back(&packet);
  }
  /// Visits all packets, also free ones, which have no message.
  template <class Visit>
  void for_each_packet(Visit visit) {
    packets_.for_each(visit);
  }

 protected:
  explicit MessagePool(std::shared_ptr<SharedPlaces> places) : shared_{std::move(places)} {}
  ~MessagePool() = default;
  [[nodiscard]] Message& take_message() {
    if (free_messages_.empty()) return fresh_message();
    Message* const message = free_messages_.back();
    free_messages_.pop_back();
    return *message;
  }
  // A process that takes more messages than it sends collects free ones: others have use for half of them.
  void leave_spare_messages();

 private:
  friend struct Recycle;
  [[nodiscard]] Message& fresh_message();

  std::shared_ptr<SharedPlaces> shared_;
  Storage<Packet> packets_;
  std::vector<Packet*> free_packets_;
  Storage<Message> messages_;
  std::vector<Message*> free_messages_;
};

}  // namespace kbsim::hw
