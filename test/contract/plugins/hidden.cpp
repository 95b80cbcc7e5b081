// An MMU that maps nothing new: it accepts a message of kbsim's, and kbsim accepts its answer. It is built
// with hidden symbols, as careful shared objects are.
#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"

namespace kbsim::hw {
namespace {

struct HiddenMmuSpec {
  static void describe(FieldList<HiddenMmuSpec>&) {}
};

class HiddenMmu final : public Component, public IMmu {
 public:
  HiddenMmu(Fabric& fabric, NodeId id, HiddenMmuSpec) : Component{fabric, id} {}

  [[nodiscard]] Time latency() const override { return 1_ns; }
  [[nodiscard]] topology::PhysRanges translate(std::uint64_t va, Bytes bytes) const override {
    return map_.lookup(va, bytes).pieces;
  }
  [[nodiscard]] Bytes tensors_in_tcm() const override { return {}; }
  void apply(const MapPages& pages) override {
    for (const topology::Mapping& mapping : pages.mappings) {
      if (pages.unmap) map_.erase(mapping.va, mapping.bytes);
      if (!pages.unmap) map_.insert(mapping);
    }
  }

 private:
  [[nodiscard]] Task<> run() override {
    for (;;) {
      const MessagePtr message = co_await in().receive();
      const auto* order = message->body.get_if<Control>();
      if (order == nullptr) refuse(*message);
      apply(std::get<MapPages>(order->job->targets[order->first].action));
      send_message(message->from, fabric().graph().spec().system.control_bytes, TrafficClass::response,
                   ControlDone{.token = order->token, .activity = {sim().now(), sim().now(), sim().now()}});
    }
  }

  topology::AddressMap map_;
};
KBSIM_COMPONENT("hidden_mmu", NodeKind::pe_mmu, HiddenMmu, HiddenMmuSpec, "an MMU from outside");

}  // namespace
}  // namespace kbsim::hw
