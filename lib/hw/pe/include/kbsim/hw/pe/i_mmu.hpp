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

  /// Time of one translation, before a transfer starts.
  [[nodiscard]] virtual Time latency() const = 0;
  /// The memory behind [va, va + bytes). KernelFault naming the first unmapped address and the nearest
  /// mapping.
  [[nodiscard]] virtual topology::PhysRanges translate(std::uint64_t va, Bytes bytes) const = 0;
  /// Whether this address is mapped: what a fault of another PE asks.
  [[nodiscard]] virtual bool maps(std::uint64_t /*va*/) const { return false; }
  /// How the tensor at this address lies, if it isn't row-major in virtual addresses.
  [[nodiscard]] virtual std::shared_ptr<const TensorLayout> layout(std::uint64_t /*va*/) const {
    return nullptr;
  }
  /// What is mapped of the PE's own TCM: tensors have it, tiles don't.
  [[nodiscard]] virtual Bytes tensors_in_tcm() const = 0;
  /// Adds translations or takes them away, at once; AddressMap's errors.
  virtual void apply(const MapPages& pages) = 0;
};

}  // namespace kbsim::hw
