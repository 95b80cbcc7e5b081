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
  Time tail{};  // when its last byte is here; for a read equal to head
};

/// Latency to the first byte of an uncontended access, and the rate of the bytes from then on.
struct MemoryPort {
  Time latency{};
  Bandwidth rate;
  Time opening{};  // the part of the latency that an access to an open row doesn't pay
};

/// A part of a memory's delay: a multiple of an attribute of its model, or bytes at a share of the raw
/// bandwidth.
struct DelayTerm {
  std::string_view key;  // of the attribute; empty: the raw bandwidth
  std::string_view unit = "ns";
  double value = 0.0;
  Time time{};             // total
  std::int64_t times = 1;  // negative: shortens the delay
  Bytes bytes{};           // each time, at that rate; 0: it is a latency
  double share = 1.0;      // of the value that each time gets
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
  /// Number of Lanes, each after the latency of port(): 1 for all requests, 2 for reads and writes apart, 0
  /// if the model doesn't consist of Lanes.
  [[nodiscard]] virtual int lanes() const { return 0; }
  /// For models without Lanes, called before the first request: then serve_because() replaces serve(). False
  /// if that isn't supported.
  virtual bool keep_causes(Causes& /*causes*/, NodeId /*memory*/) { return false; }
  /// As serve(), for a request with these causes of its head and tail; returns the causes of its slot's start
  /// and end.
  virtual ServerCauses serve_because(const MemoryRequest& request, const Cause& head, const Cause& tail);
  /// Terms of a delay that one of its causes has; `amount` is that cause's.
  [[nodiscard]] virtual std::vector<DelayTerm> delay_terms(std::int64_t /*amount*/) const { return {}; }
  /// The Lane that serves these requests; nullptr if lanes() is 0.
  [[nodiscard]] virtual Lane* lane(bool /*write*/) { return nullptr; }
  /// Use so far, by port.
  [[nodiscard]] virtual std::vector<UnitUse> use() const = 0;
  /// A controller that orders commands in place of serve(); none if the model has no commands.
  [[nodiscard]] virtual std::unique_ptr<IMemoryController> controller() const;
};

}  // namespace kbsim::hw
