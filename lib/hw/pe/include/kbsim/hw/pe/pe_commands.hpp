#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "kbsim/hw/pe/pe_tile.hpp"
#include "kbsim/hw/pe/transfer.hpp"

namespace kbsim::hw {

struct SendCommand {
  std::size_t queue = 0;
  TilePtr tile;
  int tag = 0;
  std::shared_ptr<KernelContext> kernel;
  oplog::ValueId value;
  PendingPtr pending;
  std::uint64_t order = 0;      // of the kernel's commands
  oplog::KnowledgePtr known{};  // the vector clock that its receiver gets
  Time taken{};                 // when pe_ipcq took it
  Cause why{};                  // of its departure, and then of its arrival, if causes are kept
};

struct RecvCommand {
  std::optional<std::size_t> queue;  // none: any
  Shape shape;
  DType dtype = DType::f16;
  int tag = 0;
  std::shared_ptr<PeTile> into;  // if slots are fetched
  oplog::ValueId value;          // of the fetch
  std::shared_ptr<KernelContext> kernel;
  PendingPtr pending;
  std::uint64_t order = 0;  // of the kernel's commands
  Time taken{};             // when pe_ipcq took it
  Cause why{};              // of its arrival, if causes are kept
};

class CompositeJob;

/// A command that a kernel hands to the units of its PE.
using PeCommand = std::variant<TransferPtr, SendCommand, RecvCommand, std::shared_ptr<CompositeJob>>;

}  // namespace kbsim::hw
