#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kbsim/hw/memory/i_memory_controller.hpp"

#include "request_queue.hpp"

namespace kbsim::hw {

/// A request of a memory whose controller orders commands, in parts: the packets of a read, the one packet of
/// a write, or the read and the write_back of an atomic.
struct ControlledRequest {
  RequestQueue::Service service;
  std::vector<MemoryRequest> parts;
  std::vector<std::optional<Lane::Slot>> slots;  // of the parts that are served
  std::vector<ServerCauses> because = {};        // of these, if causes are kept
  std::size_t delivered = 0;                     // number of parts, in their order
  bool changed = false;
  std::list<ControlledRequest>::iterator place;

  [[nodiscard]] bool whole() const { return delivered == parts.size(); }
  [[nodiscard]] bool deliverable() const { return !whole() && slots[delivered].has_value(); }
};

/// Requests that the controller has and hasn't served.
class ControlledRequests {
 public:
  explicit ControlledRequests(std::unique_ptr<IMemoryController> controller)
      : controller_{std::move(controller)} {}

  /// `tail`: cause of the last byte's arrival, if causes are kept.
  void push(RequestQueue::Service service, std::vector<MemoryRequest> parts, const Cause& tail = {});
  /// Requests with parts that were served until `now`.
  [[nodiscard]] std::vector<ControlledRequest*> advance(Time now);
  void erase(const ControlledRequest& request) { open_.erase(request.place); }

  /// How many packets of a write aren't served.
  [[nodiscard]] std::size_t waiting(const Message& write) const;
  [[nodiscard]] IMemoryController& controller() const { return *controller_; }

 private:
  struct Part {
    ControlledRequest* request = nullptr;
    std::size_t index = 0;
  };

  std::unique_ptr<IMemoryController> controller_;
  std::list<ControlledRequest> open_;
  std::unordered_map<std::uint64_t, Part> parts_;  // by the controller's id
  std::vector<IMemoryController::Served> served_;
  std::uint64_t asked_ = 0;
};

}  // namespace kbsim::hw
