#pragma once

#include <cstdint>
#include <memory>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/tensor_layout.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/topology/virtual_memory.hpp"

namespace kbsim::hw {

struct MapPages;

/// A PE's translation from virtual to physical addresses.
class IMmu {
 public:
  virtual ~IMmu() = default;

  /// Time of one translation. A command takes it before it is submitted to the scheduler (submit.hpp).
  [[nodiscard]] virtual Time latency() const = 0;
  /// The physical memory of [va, va + bytes). KernelFault naming the first unmapped address and the nearest
  /// mapping.
  [[nodiscard]] virtual topology::PhysRanges translate(std::uint64_t va, Bytes bytes) const = 0;
  /// Whether this address is mapped; for the fault texts of other PEs.
  [[nodiscard]] virtual bool maps(std::uint64_t /*va*/) const { return false; }
  /// The layout of the tensor at this address; none if it is row-major in virtual addresses.
  [[nodiscard]] virtual std::shared_ptr<const TensorLayout> layout(std::uint64_t /*va*/) const {
    return nullptr;
  }
  /// Bytes of the PE's own TCM that are mapped: tensors have them, tiles don't.
  [[nodiscard]] virtual Bytes tensors_in_tcm() const = 0;
  /// Adds or removes translations, at once; AddressMap's errors.
  virtual void apply(const MapPages& pages) = 0;
};

}  // namespace kbsim::hw
