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
#include "kbsim/hw/fabric/packet_receiver.hpp"
#include "kbsim/hw/fabric/service_contract.hpp"
#include "kbsim/hw/fabric/unit_use.hpp"
#include "kbsim/sim/handoff.hpp"
#include "kbsim/sim/inbox.hpp"
#include "kbsim/sim/mailbox.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::hw {

class Machine;

/// A part of the machine at one node of the graph. Its behaviour is the coroutine run(). Other nodes reach it
/// through packets; units of its PE also through its interfaces (IDma, ITcm, IMmu, ...), in the same phase.
/// Packets that end here are its messages, in(); all others go on after overhead(), whatever run() waits for.
///
/// The events of one time run in two phases: first all arrivals, then, late, all decisions (Scheduler). A
/// batch is one turn of the late phase; what it causes at the same time makes another batch. Packets of one
/// time are taken together, late: by input port, then by arrival of their heads, then by their content
/// (arrives_before()). The order of the events that made them never matters.
class Component : public PacketReceiver {
 public:
  Component(Fabric& fabric, NodeId id);
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  [[nodiscard]] Fabric& fabric() const { return fabric_; }
  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const topology::Node& node() const { return fabric_.graph().node(id_); }
  [[nodiscard]] const std::string& name() const { return node().name; }

  /// Pipelined delay of packets that pass through or leave this node. It must not vary: the machine asks for
  /// it when it is made, and again at the end of a run. A delay that varies is a switch's (ISwitched).
  [[nodiscard]] virtual Time overhead() const { return Time{0}; }
  /// overhead() as it was when the machine was made.
  [[nodiscard]] Time steady_overhead() const { return overhead_; }
  void keep_overhead() { overhead_ = overhead(); }
  /// ConfigError with the component's name and both values if overhead() has changed.
  void require_steady_overhead() const;

  /// True if it takes each packet at its head, not at its tail, when the message's body may cut through.
  [[nodiscard]] virtual bool takes_heads() const { return false; }

  /// No packet starts or ends here. Without a switch all go on in the order of their heads, ties by input
  /// port.
  [[nodiscard]] virtual bool only_passes_on() const { return false; }

  /// Its promises about its service; the default promises nothing. They don't change.
  [[nodiscard]] virtual ServiceContract contract() { return {}; }

  /// Work served so far, by port, if this is a server with a rate.
  [[nodiscard]] virtual std::vector<UnitUse> use() const { return {}; }

  /// Meets its neighbours and starts what it does by itself, once all components exist. The default lets the
  /// first message start run(), or passes packets on if nothing ends here; an override that keeps this calls
  /// it.
  virtual void start(Machine& machine);

  /// Its work in order, a loop without end: it receives, decides, waits and sends. The first message that
  /// ends here starts it, or the first item of the box that start() names. The default takes no messages.
  [[nodiscard]] virtual Task<> run();

  /// The interface of this kind if the component has it, else nullptr: ISwitched, a unit's (IMmu), or one
  /// that a plug-in defines.
  template <class IKind>
  [[nodiscard]] IKind* offers() {
    return dynamic_cast<IKind*>(this);
  }
  template <class IKind>
  [[nodiscard]] const IKind* offers() const {
    return dynamic_cast<const IKind*>(this);
  }

  /// Packets as they arrive.
  Inbox<Packet>& inbox() { return inbox_; }
  /// Adds a packet that arrives now to those that this batch takes or is about to take.
  void join(Packet& packet);

 protected:
  void accept(Packet& packet) override;
  /// Messages that end here, in order of arrival: `co_await in().receive()`. Made with the first.
  [[nodiscard]] Handoff<MessagePtr>& in() { return in_ != nullptr ? *in_ : make_in(); }
  /// InternalError: it takes no messages of this kind.
  [[noreturn]] void refuse(const Message& message) const;

  /// Accepts or forwards the packets of one time.
  void take(std::vector<Packet*>& packets);
  /// Its switch, if it has one, sends what can go now. Call after take().
  void allocate() {
    if (fabric_.switches().any()) [[unlikely]]
      fabric_.switches().allocate(id_);
  }
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
  /// The same for a Handoff, whose first item always starts it.
  template <auto box, auto run, class Self>
  static void serve_handoff(Self& self) {
    constexpr auto kStart = [](void* owner, PartId part) {
      auto& one = *static_cast<Self*>(owner);
      one.Component::serve_now(std::invoke(box, one).name(), std::invoke(run, one), part);
    };
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
  [[gnu::cold, gnu::noinline]] Handoff<MessagePtr>& make_in();

  Fabric& fabric_;
  NodeId id_;
  Time overhead_{};
  Inbox<Packet> inbox_;
  std::unique_ptr<Handoff<MessagePtr>> in_;  // none before the first message
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
