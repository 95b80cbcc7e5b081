#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/memory/i_memory_model.hpp"
#include "kbsim/hw/memory/i_memory_scheduler.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"

namespace kbsim::hw {

struct AtomicService;
struct ControlledRequest;
class ControlledRequests;
class IMemoryController;
class PortService;
struct ReadService;
class RequestQueue;
struct WriteService;

/// When a memory serves the requests that it has accepted: at once in order of arrival, when its scheduler
/// picks them, or as its controller orders their commands.
class RequestOrder {
 public:
  /// An unknown scheduler is a ConfigError.
  RequestOrder(Component& memory, IMemoryTiming& timing, IMemoryModel& model, PortService& ports,
               const std::string& scheduler);
  ~RequestOrder();

  /// True if requests are served in turn(), not as they arrive.
  [[nodiscard]] bool picks() const { return queue_ != nullptr || controlled_ != nullptr; }
  /// Null if no controller orders commands.
  [[nodiscard]] IMemoryController* controller() const;

  /// Accepts a ReadService, WriteService or AtomicService.
  template <class Service>
  void submit(Service service);
  /// Serves what can be served now. Late, when all that arrives at this time is submitted. The memory wakes
  /// when there may be more to serve.
  void turn();

  /// Another unit reads here without packets and goes first at each time. While IMemoryModel::puts_off(),
  /// reads and all requests after them wait for serve_put_off().
  void share_ports() { shares_ports_ = true; }
  void serve_put_off();

 private:
  template <class Service>
  [[nodiscard]] bool put_off(Service& service);
  void pick();
  void explain_pick(const MemoryRequest& request, const ServerCauses& came);
  [[nodiscard]] Time serve_picked(std::size_t index);
  void control();
  // Delivers all parts whose turn it is and whose slots are known.
  void deliver(ReadService& read, ControlledRequest& request);
  void deliver(WriteService& write, ControlledRequest& request);
  void deliver(AtomicService& atomic, ControlledRequest& request);
  [[nodiscard]] ServerCauses from_now_on(const ServerCauses& because) const;
  [[nodiscard]] Simulation& sim() const { return memory_.fabric().sim(); }

  Component& memory_;
  IMemoryTiming& timing_;
  IMemoryModel& model_;
  PortService& ports_;
  std::unique_ptr<IMemoryScheduler> scheduler_;
  std::unique_ptr<RequestQueue> queue_;             // none if requests are served as they arrive
  std::unique_ptr<ControlledRequests> controlled_;  // if its controller orders commands
  Time wake_{};                                     // when the controller is to be advanced
  bool shares_ports_ = false;
  std::vector<std::function<void()>> put_off_;  // in their order
};

}  // namespace kbsim::hw
