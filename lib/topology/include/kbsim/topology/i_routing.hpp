#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/field.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/registry.hpp"

namespace kbsim::topology {

class Graph;

/// Routes of messages from router to router. The ends of a route climb to their routers along the graph's
/// Access, so a routing deals only with routers and the ports between them: it is asked for pairs of two
/// different routers, of one NOC (RouterGrid), of two cubes, of a cube and its package's IO NOC, and of two
/// packages. A routing for one NOC leaves the other pairs to `routings().at("builtin.xy").make({})`.
class IRouting {
 public:
  virtual ~IRouting() = default;

  /// Appends the nodes of the route between two routers, without `from`, with `to`: routers and ports
  /// (Node::passes), each once; a link joins each to the one before. Anything else is a ConfigError with the
  /// routing, the pair and the step. A routing that finds no route throws UsageError itself.
  ///
  /// In one graph the result depends on the two routers only: messages between two nodes keep their order.
  /// It is asked once for a pair of nodes, on first use, by several threads. With finite queues in routers,
  /// routes that turn both from rows to columns and back may deadlock; the run reports that.
  virtual void walk(const Graph& graph, NodeId from, NodeId to, std::vector<NodeId>& path) const = 0;
};

/// A routing; `system.routing` selects it by name.
struct RoutingModel {
  std::string doc;
  const std::vector<Field>* fields = nullptr;  // of its Spec
  std::function<std::shared_ptr<const IRouting>(const std::map<std::string, Scalar>& attrs)> make;
  [[nodiscard]] bool has_function() const { return make != nullptr; }
};

[[nodiscard]] Registry<RoutingModel>& routings();

/// Always true. `abi` is KBSIM_ABI as the routing's file saw it.
bool register_routing(std::string name, RoutingModel model, const char& abi) noexcept;

template <class Model, class Spec>
RoutingModel routing_model(std::string doc) {
  return {.doc = std::move(doc),
          .fields = &fields_of<Spec>(),
          .make = [](const std::map<std::string, Scalar>& attrs) {
            return std::make_shared<const Model>(spec_from<Spec>(attrs));
          }};
}

/// KBSIM_ROUTING("my.west_first", WestFirst, WestFirstSpec, "one line") in the routing's file.
#define KBSIM_ROUTING(name, Model, Spec, doc)                                 \
  static const bool kRegistered##Model = ::kbsim::topology::register_routing( \
      name, ::kbsim::topology::routing_model<Model, Spec>(doc), KBSIM_ABI)

}  // namespace kbsim::topology
