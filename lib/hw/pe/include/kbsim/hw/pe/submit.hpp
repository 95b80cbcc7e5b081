#pragma once

#include <functional>
#include <memory>
#include <source_location>
#include <span>

#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/pe/load_transfer.hpp"
#include "kbsim/hw/pe/store_transfer.hpp"

/// The steps that memory commands share once it is their turn.
namespace kbsim::hw {

/// A command takes its turn and passes the MMU, which adds IMmu::latency(); returns the time at which it has.
[[nodiscard]] Time translated(KernelContext& pe, const std::source_location& at);
/// Issues a load, whose tile takes its bytes now; it passes the MMU.
void submit(KernelContext& pe, const std::source_location& at, const std::shared_ptr<LoadTransfer>& load);
/// Issues a store: it leaves when it has passed the MMU and its tile is ready.
void submit(KernelContext& pe, const std::source_location& at, const std::shared_ptr<StoreTransfer>& store);

/// A transfer whose addresses depend on the numbers of a tile.
struct TransferByData {
  TransferPtr transfer;  // without pieces
  TilePtr data;
  std::function<Pieces(std::span<const double> numbers)> find;
  Time ready{};    // of the tile that it stores
  Cause why = {};  // of `ready`, if causes are kept
};
/// Issues such a transfer. When the numbers are known, its pieces are found, and it passes the MMU; it leaves
/// no sooner than it is ready. An error in finding them fails it.
void submit(KernelContext& pe, const std::source_location& at, TransferByData what);
/// The pieces of a command whose block depends on numbers. A fault names the run that isn't mapped.
template <class Command>
[[nodiscard]] Pieces pieces_of(const KernelContext& pe, const Command& command,
                               std::span<const double> numbers) {
  const Block all = block_of(command, numbers);
  if constexpr (Command::kRowMajor) pe.addresses().require_row_major(all, Command::kName, command.at);
  Pieces pieces;
  for (const BlockRun& run : all.runs) {
    const Block one{.runs = {run}, .shape = all.shape, .dtype = all.dtype};
    for (const Piece& piece : pe.addresses().translate(one, described(command, run), command.at))
      pieces.push_back(piece);
  }
  return pieces;
}
/// The transfer of such a command.
template <class Command>
[[nodiscard]] TransferByData by_data(const KernelContext& pe, const Command& command, TransferPtr transfer,
                                     TilePtr data) {
  const auto find = [&pe, command](std::span<const double> numbers) {
    return pieces_of(pe, command, numbers);
  };
  return {.transfer = std::move(transfer), .data = std::move(data), .find = find};
}

/// Submits `next` when `done` is done. `next` passes the MMU then, and is later than all other requests of
/// that time.
[[nodiscard]] Task<> submit_after(std::shared_ptr<KernelContext> pe, PendingPtr done, TransferPtr next);
/// The departure of a transfer that becomes known only now: the MMU's latency, or 1 ps, from now.
[[nodiscard]] Time late_start(const KernelContext& pe);

}  // namespace kbsim::hw
