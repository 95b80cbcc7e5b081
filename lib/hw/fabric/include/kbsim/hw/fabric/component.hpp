#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/field.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/fabric/service_contract.hpp"
#include "kbsim/hw/fabric/unit_use.hpp"
#include "kbsim/sim/inbox.hpp"
#include "kbsim/sim/mailbox.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::hw {

class ISwitch;
class Machine;
class SwitchPorts;

/// A part of the machine at one node of the graph. Others reach its coroutines only through packets and
/// mailboxes. Packets that end here go to accept(); all others go on after overhead(). Packets of one time
/// are taken together, in the late phase: by input port, then by arrival of their heads. Packets that start
/// here are ordered by their content. The order of the events that made them never matters.
class Component {
 public:
  Component(Fabric& fabric, NodeId id);
  virtual ~Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  [[nodiscard]] Fabric& fabric() const { return fabric_; }
  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const topology::Node& node() const { return fabric_.graph().node(id_); }
  [[nodiscard]] const std::string& name() const { return node().name; }

  /// Pipelined delay of packets that pass through or leave this node.
  [[nodiscard]] virtual Time overhead() const { return Time{0}; }

  /// True if it takes each packet at its head, not at its tail, when the message's body may cut through.
  [[nodiscard]] virtual bool takes_heads() const { return false; }

  /// No packet starts or ends here: all go on, in the order of their heads, ties by input port.
  [[nodiscard]] virtual bool only_passes_on() const { return false; }

  /// Its promises about its service; the default promises nothing. They don't change.
  [[nodiscard]] virtual ServiceContract contract() { return {}; }

  /// The queues at its input ports if they are finite: senders then need credits.
  [[nodiscard]] virtual const InputQueues* input_queues() const { return nullptr; }

  /// The switch that decides which packets leave when. nullptr: each link serves packets in the order in
  /// which their heads arrive (an output-queued switch without limit). Called when all components are
  /// attached.
  [[nodiscard]] virtual std::unique_ptr<ISwitch> make_switch(SwitchPorts ports);

  /// Work served so far, by port, if this is a server with a rate.
  [[nodiscard]] virtual std::vector<UnitUse> use() const { return {}; }

  /// Starts the coroutines, once all components exist.
  virtual void start(Machine& machine);

  /// Packets as they arrive.
  Inbox<Packet>& inbox() { return inbox_; }
  /// Adds a packet that arrives now to those that this batch takes or is about to take.
  void join(Packet& packet);

 protected:
  /// A packet that ends here has arrived: its head if the message is cut_through (see Memory), else its tail.
  virtual void accept(Packet& packet);
  /// The last packet of the message has arrived.
  virtual void accept(MessagePtr message);
  /// Accepts or forwards the packets of one time.
  void take(std::vector<Packet*>& packets);
  /// The component takes its packets at that time, together with those that arrive then.
  void wake_at(Time at) { fabric_.wake(*this, at); }

  [[nodiscard]] Simulation& sim() const { return fabric_.sim(); }

  /// `run` takes what arrives in `box`; both are members. The first item starts it (see Service), or it
  /// starts at once where causes are kept.
  template <auto box, auto run, class Self>
  static void serve_box(Self& self) {
    constexpr auto kStart = [](void* owner, PartId part) {
      auto& one = *static_cast<Self*>(owner);
      one.Component::serve_now(std::invoke(box, one).name(), std::invoke(run, one), part);
    };
    if (self.sim().causes() != nullptr)
      (void)self.sim().serve(std::invoke(box, self).name(), std::invoke(run, self));
    else
      std::invoke(box, self).served_by({&self, kStart});
  }

  /// Sends a message from here to `to` now.
  void send_message(NodeId to, Bytes size, TrafficClass traffic_class, MessageBody body,
                    std::uint32_t origin = 0);

 private:
  Task<> take_packets();
  Task<> pass_on();
  Merge<Packet>& arrivals() { return *fabric_.arrivals(id_); }
  void serve_now(std::string name, Task<> task, PartId part);

  Fabric& fabric_;
  NodeId id_;
  Inbox<Packet> inbox_;
};

/// Name that --profile-self gives to the work of components of this kind.
[[nodiscard]] WorkKind kind_of_work(topology::NodeKind kind);

/// A model of a kind of component, known by the name that topology files give as `impl`.
struct ComponentModel {
  topology::NodeKind kind;
  std::string doc;
  const std::vector<Field>* fields = nullptr;  // of its Spec
  std::function<std::unique_ptr<Component>(Fabric&, NodeId, const std::map<std::string, Scalar>& attrs)> make;
  [[nodiscard]] bool has_function() const { return make != nullptr; }
};

[[nodiscard]] Registry<ComponentModel>& component_models();

/// Always true. `abi` is KBSIM_ABI as the model's file saw it.
bool register_component(std::string name, ComponentModel model, const char& abi) noexcept;

template <class Model, class Spec>
bool register_component(std::string name, topology::NodeKind kind, std::string doc, const char& abi) {
  const auto make = [](Fabric& fabric, NodeId id, const std::map<std::string, Scalar>& attrs) {
    return std::make_unique<Model>(fabric, id, spec_from<Spec>(attrs));
  };
  return register_component(std::move(name),
                            {.kind = kind, .doc = std::move(doc), .fields = &fields_of<Spec>(), .make = make},
                            abi);
}

/// KBSIM_COMPONENT("builtin.router", NodeKind::router, Router, RouterSpec, "one line") in the model's file.
#define KBSIM_COMPONENT(name, kind, Model, Spec, doc) \
  static const bool kRegistered##Model =              \
      ::kbsim::hw::register_component<Model, Spec>(name, ::kbsim::topology::kind, doc, KBSIM_ABI)

}  // namespace kbsim::hw
