#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/tensor_layout.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"

namespace kbsim::hw {
namespace {

struct PeMmuSpec {
  Time overhead = 1_ns;
  static void describe(FieldList<PeMmuSpec>& f) {
    f.add("overhead_ns", &PeMmuSpec::overhead, kNotNegative, "of one translation, before a transfer starts");
  }
};

/// Translation in constant time; MmuMap messages change the map.
class PeMmu : public Component, public IMmu, public IRepeatable {
 public:
  PeMmu(Fabric& fabric, NodeId id, PeMmuSpec spec) : Component{fabric, id}, spec_{spec} {}

  void start(Machine& machine) override {
    Component::start(machine);
    names_ = &machine.address_names();
  }
  [[nodiscard]] Task<> run() override;
  [[nodiscard]] Time latency() const override { return spec_.overhead; }
  [[nodiscard]] topology::PhysRanges translate(std::uint64_t va, Bytes bytes) const override;
  [[nodiscard]] bool maps(std::uint64_t va) const override { return map_.lookup(va, 1_B).complete(); }
  [[nodiscard]] std::shared_ptr<const TensorLayout> layout(std::uint64_t va) const override {
    return names_->layout(node().at.sip, va);
  }
  [[nodiscard]] Bytes tensors_in_tcm() const override;
  void apply(const MapPages& pages) override;
  /// A translation takes the same time for all addresses.
  void visit(RepeatVisitor& /*visitor*/) override {}

 private:
  [[nodiscard]] topology::PhysRanges in_memories(topology::PhysRanges pieces) const;
  [[nodiscard]] std::string why_unmapped(std::uint64_t va) const;

  PeMmuSpec spec_;
  const AddressNames* names_ = nullptr;
  topology::AddressMap map_;
};

// Translations take no turn here: a command takes latency() before it is submitted.
Task<> PeMmu::run() {
  for (;;) {
    const MessagePtr message = co_await in().receive();
    const auto* order = message->body.get_if<Control>();
    if (order == nullptr) refuse(*message);
    apply(std::get<MapPages>(order->job->targets[order->first].action));
    send_message(message->from, fabric().graph().spec().system.control_bytes, TrafficClass::response,
                 ControlDone{.token = order->token, .activity = {sim().now(), sim().now(), sim().now()}});
  }
}

topology::PhysRanges PeMmu::translate(std::uint64_t va, Bytes bytes) const {
  topology::Translation found = map_.lookup(va, bytes);
  if (found.complete()) return in_memories(std::move(found.pieces));
  const std::optional<topology::Mapping> nearest = map_.nearest(*found.unmapped);
  throw KernelFault{fmt::format("{:#x} is not mapped on {}; nearest mapping: {}{}{}", *found.unmapped,
                                to_string(node().at), nearest ? to_string(*nearest) : "none at all",
                                names_->near(node().at.sip, *found.unmapped), why_unmapped(*found.unmapped))};
}

// Shared memory channels take turns within a stretch of addresses.
topology::PhysRanges PeMmu::in_memories(topology::PhysRanges pieces) const {
  const topology::Graph& graph = fabric().graph();
  if (!graph.spec().shares_hbm()) return pieces;
  topology::PhysRanges parts;
  for (const topology::PhysRange& piece : pieces) {
    for_each_part(graph, piece, [&parts](const topology::PhysRange& part, Bytes) { parts.push_back(part); });
  }
  return parts;
}

// The tensor is gone, though other PEs may still have it; or another PE of the package has this part: the
// kernel took a tensor for shared.
std::string PeMmu::why_unmapped(std::uint64_t va) const {
  if (names_->freed(node().at.sip, va)) return "; keep a handle of it until all that use it have ended";
  for (std::uint32_t i = 0; i < fabric().graph().nodes().size(); ++i) {
    const topology::Node& other = fabric().graph().node(NodeId{i});
    if (other.kind != topology::NodeKind::pe_mmu || other.at.sip != node().at.sip) continue;
    const auto* const mmu = fabric().component(NodeId{i}).offers<const IMmu>();
    if (mmu == nullptr || !mmu->maps(va)) continue;
    return fmt::format(
        "; {} has it: a PE sees its own part of a tensor, and all of one that is made with .shared = true",
        to_string(other.at));
  }
  return "";
}

Bytes PeMmu::tensors_in_tcm() const {
  Bytes sum;
  for (const topology::Mapping& mapping : map_.mappings()) {
    const topology::Location at = mapping.pa.decode();
    if (at.region == topology::Region::tcm && at.coord() == node().at) sum += mapping.bytes;
  }
  return sum;
}

void PeMmu::apply(const MapPages& pages) {
  for (const topology::Mapping& mapping : pages.mappings) {
    if (pages.unmap) {
      map_.erase(mapping.va, mapping.bytes);
    } else {
      map_.insert(mapping);
    }
  }
}

}  // namespace

KBSIM_COMPONENT("builtin.pe_mmu", NodeKind::pe_mmu, PeMmu, PeMmuSpec, "address translation of a PE");

}  // namespace kbsim::hw
