#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/memory/port_timing.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/i_tcm.hpp"

namespace kbsim::hw {
namespace {

struct PeTcmSpec {
  Bandwidth read_rate = Bandwidth::gbs(512.0);
  Bandwidth write_rate = Bandwidth::gbs(512.0);
  Time access = 1_ns;
  static void describe(FieldList<PeTcmSpec>& f) {
    f.add("read_bw_gbs", &PeTcmSpec::read_rate, kPositive, "bandwidth of the read port");
    f.add("write_bw_gbs", &PeTcmSpec::write_rate, kPositive, "bandwidth of the write port");
    f.add("access_ns", &PeTcmSpec::access, kNotNegative, "pipelined latency of an access");
  }
};

/// The memory private to a PE: a read port and a write port, each in order of arrival; the DMA's reads go
/// first at each time. A load's data is reported to the DMA, a neighbour's slot write to the IPCQ.
class PeTcm : public Memory, public ITcm, public IRepeatable {
 public:
  PeTcm(Fabric& fabric, NodeId id, PeTcmSpec spec)
      : Memory{fabric, id, std::make_unique<PortTiming>(spec.access, spec.read_rate, spec.write_rate),
               "in_order"} {
    requests().share_ports();
  }

  void start(Machine& machine) override;

  Lane::Slot read_port(Time at, Bytes n) override {
    return ports().serve({.bytes = n, .head = at, .tail = at});
  }
  void dma_has_read() override { requests().serve_put_off(); }
  [[nodiscard]] Time pace(Bytes n) const override { return read_rate().serialization(n); }
  [[nodiscard]] oplog::MemoryImage& image() override { return Memory::image(); }
  [[nodiscard]] ServiceContract contract() override;
  void visit(RepeatVisitor& visitor) override { visit_memory(visitor); }
  [[nodiscard]] bool accept_at_once(Packet& packet) override;

 private:
  // Tiles have no addresses, and its ports are the same for all.
  [[nodiscard]] std::int64_t address_of(const Message&) const override { return 0; }
  void finished(MessagePtr message, Time at) override;
  [[nodiscard]] bool puts_off() override { return dma_->reads_first(); }

  IDma* dma_ = nullptr;
  IIpcq* ipcq_ = nullptr;
};

void PeTcm::start(Machine& machine) {
  Memory::start(machine);
  const topology::PeNodes& pe = machine.graph().pe(node().at);
  dma_ = &machine.at<IDma>(pe.dma);
  ipcq_ = &machine.at<IIpcq>(pe.ipcq);
}

// Data that leaves from here passes the read port first. Data from this TCM to itself and a packet that only
// crosses the DMA may arrive at one time. The first goes first, which is known ahead unless both take no
// time.
ServiceContract PeTcm::contract() {
  ServiceContract all = Memory::contract();
  all.only_answers = false;
  if (latency(false) == Time{0}) all.packets = ServiceContract::Packets::observed;
  return all;
}

// A load's data takes the write port, in the order of its link, and is reported to the DMA later. Data that
// the DMA sends from here to here at that time goes first if it takes no time.
bool PeTcm::accept_at_once(Packet& packet) {
  if (!packet.message->body.holds<ReadData>() || !inbox().awaited() || latency(false) == Time{0})
    return false;
  accept(packet);
  return true;
}

void PeTcm::finished(MessagePtr message, Time at) {
  if (auto* data = message->body.get_if<ReadData>()) {
    dma_->loaded(at, data->token, std::move(data->contents));
  } else if (const auto* slot = message->body.get_if<SlotWrite>()) {
    ipcq_->arrived(at, *slot);
  } else {
    Memory::finished(std::move(message), at);
  }
}

}  // namespace

KBSIM_COMPONENT("builtin.pe_tcm", NodeKind::pe_tcm, PeTcm, PeTcmSpec, "memory private to a PE");

}  // namespace kbsim::hw
