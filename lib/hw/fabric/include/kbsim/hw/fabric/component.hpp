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
#include "kbsim/hw/fabric/unit_use.hpp"
#include "kbsim/sim/inbox.hpp"
#include "kbsim/sim/mailbox.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::hw {

class IPlainMemory;
class ISwitch;
class Machine;
class SwitchPorts;

/// A part of the machine that stands at a node of the graph: coroutines of its own, reached by others
/// through packets and mailboxes only. Packets that end here are given to accept(); all others go on
/// after overhead(). Those of one time are taken together, late, by input port, those of a port as their
/// heads came, those that start here by what they are: in no case by the order of the events that made them.
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

  /// Pipelined delay of what passes or leaves this node.
  [[nodiscard]] virtual Time overhead() const { return Time{0}; }

  /// It takes each packet of a message whose body may cut through at its head, not when the tail is there.
  [[nodiscard]] virtual bool takes_heads() const { return false; }

  /// No packet starts or ends here: all go on, in the order of their heads, ties by input port.
  [[nodiscard]] virtual bool only_passes_on() const { return false; }

  /// Takes a packet that ends here and comes now in the phase in which it is sent, not with the next batch of
  /// this time; false: it can't. For one whose taking nobody else could see before that batch.
  [[nodiscard]] virtual bool take_at_once(Packet& /*packet*/) { return false; }

  /// What it does with packets of a message before its last: nothing but that it counts them; what
  /// accept_unheard() does, which may be told any time before the next packet is accepted; or anything.
  enum class Parts : std::uint8_t { counted, served, heard };
  [[nodiscard]] virtual Parts parts() const { return Parts::heard; }
  virtual void accept_unheard(const UnheardPackets& /*packets*/) {}

  /// A memory whose ports are Lanes, which serve requests as they come.
  [[nodiscard]] virtual IPlainMemory* plain_memory() { return nullptr; }

  /// It sends only when it takes packets.
  [[nodiscard]] virtual bool only_answers() const { return false; }

  /// The queues at its input ports if they are finite: senders then need credits.
  [[nodiscard]] virtual const InputQueues* input_queues() const { return nullptr; }

  /// Decides which packets leave when. None: each link serves its packets in the order in which their heads
  /// come (an output-queued switch without limit). Called once all components are attached.
  [[nodiscard]] virtual std::unique_ptr<ISwitch> make_switch(SwitchPorts ports);

  /// What it has served so far, by port, if it is a server of some rate.
  [[nodiscard]] virtual std::vector<UnitUse> use() const { return {}; }

  /// Starts the coroutines, once all components exist.
  virtual void start(Machine& machine);

  /// Packets as they arrive.
  Inbox<Packet>& inbox() { return inbox_; }
  /// One that comes now, with those that it takes in this batch or is about to.
  void join(Packet& packet);

 protected:
  /// The message's last packet is here (each packet, if the message is cut_through: see Memory).
  virtual void accept(Packet& packet);
  virtual void accept(MessagePtr message);
  /// Accepts or forwards the packets of one time.
  void take(std::vector<Packet*>& packets);
  /// At that time, or with the packets of that time, it takes what there is.
  void wake_at(Time at) { fabric_.wake(*this, at); }

  [[nodiscard]] Simulation& sim() const { return fabric_.sim(); }

  /// `run` takes what comes to `box`, both members. It is started by the first item (see Service), or at once
  /// where somebody wants to know why things happen.
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

  /// A message from here to `to`, at this time.
  void tell(NodeId to, Bytes size, TrafficClass traffic_class, MessageBody body, std::uint32_t origin = 0);

 private:
  Task<> take_packets();
  Task<> pass_on();
  Merge<Packet>& arrivals() { return *fabric_.arrivals(id_); }
  void serve_now(std::string name, Task<> task, PartId part);

  Fabric& fabric_;
  NodeId id_;
  Inbox<Packet> inbox_;
};

/// How --profile-self names what components of a kind do.
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
