// How a kernel's atomics leave the PE.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/atomic_transfer.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::hw {
namespace {

const PeTile& pe_tile(const TilePtr& tile) { return static_cast<const PeTile&>(*tile); }

// Whole elements that fit a packet with their operands; one element at least.
Bytes largest_part(const config::MachineSpec& spec, const Atomic& atomic, Bytes all) {
  const Bytes packet = spec.system.packet_bytes;
  if (packet == 0_B) return all;
  const std::int64_t element = itemsize(atomic.dtype);
  const std::int64_t elements = packet.count() / (element * (atomic.compares() ? 2 : 1));
  return Bytes{std::max<std::int64_t>(elements, 1) * element};
}

std::shared_ptr<const Atomic> cut(KernelContext& pe, const AtomicCommand& command, std::string_view call) {
  auto atomic = make_pooled<Atomic>();
  atomic->op = command.op;
  atomic->dtype = command.to.dtype;
  atomic->operand = pe_tile(command.operand).operand().slices;
  if (command.expected) atomic->expected = pe_tile(command.expected).operand().slices;
  const Block block = whole(command.to, command.operand->shape(), command.to.dtype);
  for (const Piece& piece : pe.addresses().translate(block, call, command.at)) {
    if (piece.memory.bytes.count() % itemsize(atomic->dtype) != 0)
      throw fault_at(command.at, fmt::format("{}: an element lies in two memories", call));
    const Bytes most = largest_part(*pe.units().spec, *atomic, piece.memory.bytes);
    for (Bytes done; done < piece.memory.bytes; done += most) {
      AtomicPart part{
          .memory = {.pa = piece.memory.pa + done, .bytes = std::min(most, piece.memory.bytes - done)},
          .offset = piece.offset + done.count()};
      if (atomic->compares()) part.equal = pe.units().reserve();
      part.result = pe.units().reserve();
      atomic->parts.push_back(part);
    }
  }
  return atomic;
}

PendingPtr atomic(KernelContext& pe, const AtomicCommand& command) {
  const std::string_view call = to_string(command.op);
  PendingPtr done = pe.commands().under_way(CommandWait{call}, command.at);
  const std::shared_ptr<AtomicTransfer> atomic = atomic_transfer(pe, command, call, call, done);
  const Bytes size = pe_tile(command.operand).size();
  const bool now = pe.turns().may_issue(size, command.at);
  pe.in_order(now, size, command.at, [&pe, at = command.at, atomic] {
    atomic->into().take();
    const Time issued = translated(pe, at);
    if (Causes* const causes = pe.units().sim->causes()) [[unlikely]]
      causes->because(causes->latest(causes->of(issued), atomic->operands_why()));
    pe.units().scheduler->submit(std::max(issued, atomic->operands_ready()), atomic);
  });
  return done;
}
KBSIM_MEMORY_OP(AtomicCommand, atomic);

}  // namespace

std::shared_ptr<AtomicTransfer> atomic_transfer(KernelContext& pe, const AtomicCommand& command,
                                                std::string_view what, std::string_view call,
                                                PendingPtr done) {
  const TileState& operand = *command.operand;
  std::shared_ptr<const Atomic> atomic = cut(pe, command, what);
  Transfer::Origin origin = pe.origin(call, std::move(done));
  if (origin.issue) origin.issue->publishes(oplog::Handover::signal);
  auto into = pe.coming(origin.value, operand.shape(), operand.dtype(), command.at);
  return make_pooled<AtomicTransfer>(std::move(origin), std::move(atomic), std::move(into),
                                     AtomicTransfer::Operands{command.operand, command.expected});
}

}  // namespace kbsim::hw
