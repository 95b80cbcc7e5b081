#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/address_names.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/queue_trace.hpp"
#include "kbsim/hw/race_watch.hpp"
#include "kbsim/oplog/evaluator.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::hw {

class Division;

/// A live machine: a component at every node of a graph, all coroutines started.
class Machine {
 public:
  /// `graph`, `sim` and `log` must outlive it. An impl that doesn't fit its place is a ConfigError.
  Machine(Simulation& sim, const topology::Graph& graph, oplog::OpLog& log);
  /// The same, divided if possible among processes that threads run side by side: one per package with a
  /// simulation with the options `each`, and the host with its switch in `sim` (docs/adr/0081).
  Machine(Simulation& sim, const topology::Graph& graph, oplog::OpLog& log, const SimulationOptions& each);
  ~Machine();

  /// Runs until nothing is left to do, as Simulation::run(); a divided machine uses `threads` threads.
  void run(unsigned threads = 1);
  /// Events of all its processes.
  [[nodiscard]] std::uint64_t events() const;
  /// Null if it is one process.
  [[nodiscard]] const Division* division() const { return division_.get(); }
  /// The reason why it isn't divided; empty if it is, or if no division was requested.
  [[nodiscard]] const std::string& undivided_because() const { return undivided_because_; }

  [[nodiscard]] Simulation& sim() const { return fabric_.sim(); }
  [[nodiscard]] Fabric& fabric() { return fabric_; }
  [[nodiscard]] const Fabric& fabric() const { return fabric_; }
  [[nodiscard]] const topology::Graph& graph() const { return fabric_.graph(); }
  [[nodiscard]] oplog::OpLog& log() const { return log_; }

  /// The component at a node as an interface that its neighbours need. Only the first component of each model
  /// is asked: in the others the interface lies at the same offset.
  template <class T>
  [[nodiscard]] T& at(NodeId id) {
    Component& component = *components_[id.value()];
    auto* const begin = reinterpret_cast<std::byte*>(&component);
    const auto lock = touch(id);
    const auto known = std::ranges::find(offers_, std::pair{&typeid(component), &typeid(T)}, &Offer::what);
    if (known != offers_.end()) return *reinterpret_cast<T*>(begin + known->offset);
    auto* const asked = dynamic_cast<T*>(&component);
    if (asked == nullptr) misfit(id);
    offers_.push_back({{&typeid(component), &typeid(T)}, reinterpret_cast<std::byte*>(asked) - begin});
    return *asked;
  }

  [[nodiscard]] const Component& component(NodeId id) const { return *components_[id.value()]; }

  /// True until the machine is taken down; an object that outlives it must not use it after that.
  [[nodiscard]] std::shared_ptr<const bool> running() const { return running_; }

  /// The evaluator computes the numbers that kernels ask for (tl.item). By default there is none.
  void set_evaluator(oplog::Evaluator evaluator) { evaluator_ = std::move(evaluator); }
  [[nodiscard]] const oplog::Evaluator& evaluator() const { return evaluator_; }

  [[nodiscard]] RaceWatch& races() { return races_; }
  [[nodiscard]] QueueTrace& queue_trace() { return queue_trace_; }
  [[nodiscard]] AddressNames& address_names() { return address_names_; }

  /// The op log's lane of a PE.
  [[nodiscard]] std::uint32_t lane(PeCoord pe) const;

  /// Digest of everything that the op log and the links have recorded.
  [[nodiscard]] Digest digest() const;

 private:
  // Where an interface lies in components of a model.
  struct Offer {
    std::pair<const std::type_info*, const std::type_info*> what;  // model and interface
    std::ptrdiff_t offset;
  };

  [[noreturn]] void misfit(NodeId id) const;
  void make_components();
  void start_components();
  // UsageError if a process asks for another process's component, whose time may differ.
  [[nodiscard]] std::unique_lock<std::mutex> touch(NodeId id) {
    return division_ == nullptr ? std::unique_lock<std::mutex>{} : touch_divided(id);
  }
  [[nodiscard]] std::unique_lock<std::mutex> touch_divided(NodeId id);

  Fabric fabric_;
  std::unique_ptr<Division> division_;
  std::string undivided_because_;
  oplog::OpLog& log_;
  RaceWatch races_;
  oplog::Evaluator evaluator_;
  std::shared_ptr<bool> running_ = std::make_shared<bool>(true);
  std::vector<std::unique_ptr<Component>> components_;
  std::mutex offering_;  // where it is divided
  std::vector<Offer> offers_;
  AddressNames address_names_;
  QueueTrace queue_trace_;  // prints directions that components own
};

}  // namespace kbsim::hw
