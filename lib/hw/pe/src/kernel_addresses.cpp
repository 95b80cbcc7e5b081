#include "kbsim/hw/pe/kernel_addresses.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/tensor_layout.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/issue_queue.hpp"

namespace kbsim::hw {

std::shared_ptr<const TensorLayout> KernelAddresses::layout(std::uint64_t va) const {
  return units_.mmu->layout(va);
}

// They must be in one block of the tensor's layout, unless they are one row.
void KernelAddresses::require_row_major(const Block& block, std::string_view call,
                                        const std::source_location& at) const {
  const Shape& shape = block.shape;
  if (block.runs.empty() || shape.rank() < 2 || shape.elements() == shape[shape.rank() - 1]) return;
  const std::uint64_t va = block.runs.front().va;
  const auto layout = this->layout(va);
  if (layout == nullptr) return;
  const LayoutBlock* const first = layout->block_at(va);
  const BlockRun& last = block.runs.back();
  if (first != nullptr &&
      first == layout->block_at(last.va + static_cast<std::uint64_t>(last.bytes.count()) - 1))
    return;
  throw fault_at(
      at, fmt::format("{} of {} at {:#x}: {} isn't row-major in virtual addresses; make a descriptor of "
                      "the tensor itself (x.desc() as an argument of make_desc), or split it by rows",
                      call, to_string(shape), va, layout->name()));
}

Pieces KernelAddresses::translate(const Block& block, std::string_view call,
                                  const std::source_location& at) const {
  Pieces pieces;
  if (block.runs.size() == 1) require_row_major(block, call, at);
  for (const BlockRun& run : block.runs) {
    try {
      std::int64_t offset = run.offset;
      for (const topology::PhysRange& range : units_.mmu->translate(run.va, run.bytes)) {
        pieces.push_back({.memory = range, .offset = offset});
        offset += range.bytes.count();
      }
    } catch (const KernelFault& unmapped) {
      throw fault_at(
          at, fmt::format("{} of {} at {:#x}: {}", call, to_string(run.bytes), run.va, unmapped.what()));
    }
  }
  return pieces;
}

}  // namespace kbsim::hw
