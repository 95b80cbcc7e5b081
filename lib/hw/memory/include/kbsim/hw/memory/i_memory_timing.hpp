#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
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
  Time opening{};  // the part of the latency that an access to an open row doesn't pay
};

/// A part of a delay of a memory: so many times an attribute of its model, or bytes at a share of the raw
/// bandwidth.
struct DelayTerm {
  std::string_view key;  // of the attribute; empty: the raw bandwidth
  std::string_view unit = "ns";
  double value = 0.0;
  Time time{};             // that all of it takes
  std::int64_t times = 1;  // negative: so much sooner
  Bytes bytes{};           // of each, at that rate; 0: it is a latency
  double share = 1.0;      // of the value, that each gets
  bool rounded_down = false;
  bool shared = false;  // another term has the same time
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
  /// apart; 0: it is something else.
  [[nodiscard]] virtual int lanes() const { return 0; }
  /// Of what is no Lane: from now on, before the first request, serve_because() is called instead of serve().
  /// False: it can't say why.
  virtual bool keep_causes(Causes& /*causes*/, NodeId /*memory*/) { return false; }
  /// As serve(), of a request whose head and tail are here for these reasons: why its slot begins and ends.
  virtual ServerCauses serve_because(const MemoryRequest& request, const Cause& head, const Cause& tail);
  /// What a delay consists of that one of its causes has, whose amount is this.
  [[nodiscard]] virtual std::vector<DelayTerm> delay_terms(std::int64_t /*amount*/) const { return {}; }
  /// The Lane that serves such requests, if lanes() says that it is one.
  [[nodiscard]] virtual Lane* lane(bool /*write*/) { return nullptr; }
  /// What was served so far, by port.
  [[nodiscard]] virtual std::vector<UnitUse> use() const = 0;
  /// A controller of its commands, in this memory's stead; none if it can't order them.
  [[nodiscard]] virtual std::unique_ptr<IMemoryController> controller() const;
};

}  // namespace kbsim::hw
