#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <typeinfo>
#include <utility>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/queue_trace.hpp"
#include "kbsim/hw/race_watch.hpp"
#include "kbsim/oplog/evaluator.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::hw {

/// A live machine: a component at every node of a graph, all coroutines started.
class Machine {
 public:
  /// `graph`, `sim` and `log` must outlive it. An impl that doesn't fit its place is a ConfigError.
  Machine(Simulation& sim, const topology::Graph& graph, oplog::OpLog& log);
  ~Machine();

  [[nodiscard]] Simulation& sim() const { return fabric_.sim(); }
  [[nodiscard]] Fabric& fabric() { return fabric_; }
  [[nodiscard]] const Fabric& fabric() const { return fabric_; }
  [[nodiscard]] const topology::Graph& graph() const { return fabric_.graph(); }
  [[nodiscard]] oplog::OpLog& log() const { return log_; }

  /// The component at a node, as what its neighbours need it to be: an interface. Of each model the first
  /// component is asked: in all others the interface lies at the same place.
  template <class T>
  [[nodiscard]] T& at(NodeId id) {
    Component& component = *components_[id.value()];
    auto* const begin = reinterpret_cast<std::byte*>(&component);
    const auto known = std::ranges::find(offers_, std::pair{&typeid(component), &typeid(T)}, &Offer::what);
    if (known != offers_.end()) return *reinterpret_cast<T*>(begin + known->offset);
    auto* const asked = dynamic_cast<T*>(&component);
    if (asked == nullptr) misfit(id);
    offers_.push_back({{&typeid(component), &typeid(T)}, reinterpret_cast<std::byte*>(asked) - begin});
    return *asked;
  }

  [[nodiscard]] const Component& component(NodeId id) const { return *components_[id.value()]; }

  /// True until the machine is taken down: what outlives it must not talk to it.
  [[nodiscard]] std::shared_ptr<const bool> running() const { return running_; }

  /// Who computes the numbers that kernels ask for (tl.item); nobody, unless somebody is named.
  void set_evaluator(oplog::Evaluator evaluator) { evaluator_ = std::move(evaluator); }
  [[nodiscard]] const oplog::Evaluator& evaluator() const { return evaluator_; }

  [[nodiscard]] RaceWatch& races() { return races_; }
  [[nodiscard]] QueueTrace& queue_trace() { return queue_trace_; }

  /// The op log's lane of a PE.
  [[nodiscard]] std::uint32_t lane(PeCoord pe) const;

  /// Of all that the op log and the links have recorded.
  [[nodiscard]] Digest digest() const;

 private:
  // Where an interface lies in components of a model.
  struct Offer {
    std::pair<const std::type_info*, const std::type_info*> what;  // model and interface
    std::ptrdiff_t offset;
  };

  [[noreturn]] void misfit(NodeId id) const;

  Fabric fabric_;
  oplog::OpLog& log_;
  RaceWatch races_;
  oplog::Evaluator evaluator_;
  std::shared_ptr<bool> running_ = std::make_shared<bool>(true);
  std::vector<std::unique_ptr<Component>> components_;
  std::vector<Offer> offers_;
  QueueTrace queue_trace_;  // prints directions that components own
};

}  // namespace kbsim::hw
