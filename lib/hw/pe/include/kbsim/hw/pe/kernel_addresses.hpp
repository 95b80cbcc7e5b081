#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <string_view>

#include "kbsim/hw/pe/pe_units.hpp"
#include "kbsim/hw/pe/transfer.hpp"
#include "kbsim/tl/block.hpp"

namespace kbsim {
class TensorLayout;
}

namespace kbsim::hw {

/// A kernel's virtual addresses, as the PE's MMU translates them. It takes no time: commands pay for it.
class KernelAddresses {
 public:
  explicit KernelAddresses(const PeUnits& units) : units_{units} {}

  /// The layout of the tensor at this address; null if there is none.
  [[nodiscard]] std::shared_ptr<const TensorLayout> layout(std::uint64_t va) const;
  /// A block's place in memory. KernelFault that names the call for unmapped addresses, and for rows in one
  /// run that the tensor doesn't have in this order.
  [[nodiscard]] Pieces translate(const Block& block, std::string_view call,
                                 const std::source_location& at) const;
  /// KernelFault if a tensor there doesn't have the elements from the block's first run to its last in
  /// row-major order.
  void require_row_major(const Block& block, std::string_view call, const std::source_location& at) const;

 private:
  const PeUnits& units_;
};

}  // namespace kbsim::hw
