#include "kbsim/hw/pe/pe_tcm.hpp"

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/pe_dma.hpp"
#include "kbsim/hw/pe/pe_ipcq.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_tcm", NodeKind::pe_tcm, PeTcm, PeTcmSpec, "memory private to a PE");

void PeTcm::start(Machine& machine) {
  Memory::start(machine);
  const topology::PeNodes& pe = machine.graph().pe(node().at);
  dma_ = &machine.at<PeDma>(pe.dma);
  ipcq_ = &machine.at<PeIpcq>(pe.ipcq);
}

void PeTcm::finished(MessagePtr message) {
  if (auto* data = std::get_if<ReadData>(&message->body)) {
    dma_->loaded(sim().now(), data->token, std::move(data->contents));
  } else if (const auto* slot = std::get_if<SlotWrite>(&message->body)) {
    ipcq_->arrived(sim().now(), *slot);
  } else {
    Memory::finished(std::move(message));
  }
}

}  // namespace kbsim::hw
