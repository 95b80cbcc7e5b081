#pragma once

#include <map>
#include <string>
#include <utility>

#include "kbsim/base/ids.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/address.hpp"
#include "kbsim/topology/range_allocator.hpp"

namespace kbsim::topology {

inline constexpr Bytes kDefaultAlignment = 64_B;

/// One memory's allocator, in physical addresses; errors are RangeAllocator's.
class PhysAllocator {
 public:
  PhysAllocator(std::string where, PhysAddr first, Bytes size)
      : ranges_{std::move(where), first.bits(), size} {}

  [[nodiscard]] PhysAddr allocate(Bytes size, Bytes alignment = kDefaultAlignment) {
    return PhysAddr::from_bits(ranges_.allocate(size, alignment));
  }
  void free(PhysAddr at) { ranges_.free(at.bits()); }

  [[nodiscard]] Bytes size() const { return ranges_.size(); }
  [[nodiscard]] Bytes free_bytes() const { return ranges_.free_bytes(); }
  [[nodiscard]] Bytes largest_free() const { return ranges_.largest_free(); }

 private:
  RangeAllocator ranges_;
};

/// The allocators of one PE's software: its HBM slice, or its share of the cube's channels, its TCM below the
/// scheduler's part (which is the last), and its IPCQ space.
struct PeAllocator {
  PeAllocator(PeCoord at, const config::MemorySpec& memory, Bytes hbm);

  PhysAllocator hbm;
  PhysAllocator tcm;
  PhysAllocator ipcq;

 private:
  PeAllocator(const std::string& name, PeCoord at, const config::MemorySpec& memory, Bytes share);
};

/// The SRAM that a cube's PEs share.
struct CubeSramAllocator : PhysAllocator {
  CubeSramAllocator(int sip, int cube, Bytes size);
};

/// All allocators of a machine, each made on first use; references stay valid. UsageError: a machine or
/// memory larger than its address field (by the key that is too large), or a coordinate outside the machine.
class MachineAllocators {
 public:
  explicit MachineAllocators(const config::MachineSpec& spec);

  [[nodiscard]] PeAllocator& pe(PeCoord at);
  [[nodiscard]] CubeSramAllocator& cube_sram(int sip, int cube);

  /// The allocator of a region: a PE's hbm, tcm or ipcq, or its cube's sram; AllocationError for others.
  [[nodiscard]] PhysAllocator& memory(PeCoord at, Region region);

  /// Frees a block in the memory that holds it.
  void free(PhysAddr at);

 private:
  void check(PeCoord at) const;

  config::MemorySpec memory_;
  Bytes hbm_;       // a PE's part of it
  PeCoord extent_;  // counts of SIPs, cubes of a SIP, PEs of a cube
  std::map<PeCoord, PeAllocator> pes_;
  std::map<std::pair<int, int>, CubeSramAllocator> srams_;
};

}  // namespace kbsim::topology
