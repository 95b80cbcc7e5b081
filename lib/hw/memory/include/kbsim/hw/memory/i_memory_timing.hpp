#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/fabric/unit_use.hpp"

namespace kbsim::hw {

enum class MemoryOp : std::uint8_t {
  read,
  write,
  write_back,  // of bytes that an atomic has just read
};

/// Bytes that a memory serves in one go: a packet of a read or of a write, or the elements of an atomic,
/// which is a read followed by a write_back.
struct MemoryRequest {
  MemoryOp op = MemoryOp::read;
  std::int64_t address = 0;
  Bytes bytes;
  Time head{};  // when its service may begin
  Time tail{};  // when its last byte is here; of a read equal to head
};

/// Latency to the first byte of an access that meets no other, and the rate of the bytes from then on.
struct MemoryPort {
  Time latency{};
  Bandwidth rate;
};

class IMemoryController;

/// How long a memory takes for each request: ports, banks, refresh. It sees requests in the order in which
/// its scheduler picks them, knows no simulation, and may look at nothing but earlier requests.
class IMemoryTiming {
 public:
  virtual ~IMemoryTiming();

  /// Serves the next request: when its bytes pass the port, no sooner than its head.
  virtual Lane::Slot serve(const MemoryRequest& request) = 0;
  /// Lower bound of the start of the slot that serve(request) would give now; exact for a single burst.
  [[nodiscard]] virtual Time first_byte(const MemoryRequest& request) const = 0;
  [[nodiscard]] virtual MemoryPort port(bool write) const = 0;
  /// How many Lanes it is, each behind the latency of port(): 1 for all requests, 2 for reads and writes
  /// apart; 0: it is something else, and doesn't say why requests wait.
  [[nodiscard]] virtual int lanes() const { return 0; }
  /// What was served so far, by port.
  [[nodiscard]] virtual std::vector<UnitUse> use() const = 0;
  /// A controller of its commands, in this memory's stead; none if it can't order them.
  [[nodiscard]] virtual std::unique_ptr<IMemoryController> controller() const;
};

}  // namespace kbsim::hw
