#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"

namespace kbsim::hw {

/// A move of bytes by a DMA that the host orders, without a kernel: part by part, each a read, then a write.
/// Two parts are under way at a time, each half of what the DMA may have in flight. A read or write of a
/// virtual address begins a translation's time after it is asked for. The whole is recorded as one copy.
class OrderedMove : public std::enable_shared_from_this<OrderedMove> {
 public:
  struct Units {
    Simulation* sim = nullptr;
    IDma* dma = nullptr;
    const IMmu* mmu = nullptr;
    NodeId unit;
    oplog::IssuePtr issue = nullptr;  // if races are looked for
  };
  /// `number` distinguishes orders. KernelFault for unmapped addresses.
  OrderedMove(const Units& units, const MoveBytes& what, Bytes part, std::uint32_t number,
              std::function<void()> done);

  void begin();

 private:
  class Read;
  class Write;

  [[nodiscard]] Time start_of(const MoveBytes::Side& side) const;
  void read_next();
  void write(std::size_t part);
  void written(const DmaSite& site, Time now);
  [[nodiscard]] Transfer::Origin origin(std::size_t part, bool writes) const;

  Units units_;
  MoveBytes what_;
  std::vector<Pieces> from_;  // by part
  std::vector<Pieces> to_;
  std::uint32_t number_;
  std::function<void()> done_;
  Time start_;
  std::size_t read_ = 0;  // parts, so far
  std::size_t written_ = 0;
  std::map<std::int64_t, oplog::Slices> contents_;  // by offset
};

}  // namespace kbsim::hw
