#include "kbsim/hw/control/order_record.hpp"

#include <algorithm>
#include <array>

#include "kbsim/tl/kernel.hpp"

namespace kbsim::hw {
namespace {

OrderPhase phase_of(const ControlTarget& target) {
  const auto& action = target.action;
  if (const auto* pages = std::get_if<MapPages>(&action))
    return pages->unmap ? OrderPhase::mmu_unmap : OrderPhase::mmu_map;
  if (std::holds_alternative<InstallQueues>(action)) return OrderPhase::ipcq_init;
  if (std::holds_alternative<RemoveQueues>(action)) return OrderPhase::ipcq_remove;
  return std::holds_alternative<MoveBytes>(action) ? OrderPhase::pe_dma : OrderPhase::kernel;
}

}  // namespace

std::string_view OrderRecord::phase_name() const {
  constexpr std::array<std::string_view, 8> kNames{"kernel",      "mmu_map", "mmu_unmap",    "ipcq_init",
                                                   "ipcq_remove", "pe_dma",  "memory_write", "memory_read"};
  return kNames[static_cast<std::size_t>(phase)];
}

OrderRecord shifted(OrderRecord order, Time by) {
  Activity& ran = order.activity;
  for (Time* at : {&order.sent, &order.reported, &ran.first_start, &ran.last_start, &ran.last_end}) *at += by;
  return order;
}

OrderRecord record_of(const ControlJob& job) {
  const ControlTarget& first = job.targets.front();
  OrderRecord record{.phase = phase_of(first),
                     .sip = first.pe.sip,
                     .pes = static_cast<int>(job.targets.size()),
                     .first_pe = first.pe.pe,
                     .last_pe = first.pe.pe};
  if (const auto* launch = std::get_if<Launch>(&first.action)) record.kernel_name = launch->kernel->name;
  int cube = -1;
  for (const ControlTarget& target : job.targets) {
    record.cubes += target.pe.cube != cube ? 1 : 0;
    cube = target.pe.cube;
    record.first_pe = std::min(record.first_pe, target.pe.pe);
    record.last_pe = std::max(record.last_pe, target.pe.pe);
  }
  return record;
}

}  // namespace kbsim::hw
