#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

/// A source and sink of synthetic traffic: it sends a stream of packets, each as a whole at its time, and
/// notes what arrives when its tail is there.
class IEndpoint {
 public:
  struct Departure {
    Time at{};  // not before the one before it
    NodeId to;
    Bytes size;
  };
  using Stream = std::function<std::optional<Departure>()>;

  struct Delivery {
    const Path* path = nullptr;  // valid as long as the fabric
    NodeId from;
    Bytes size;
    Time sent{};
    Time arrived{};
  };
  struct RoundTrip {
    Time sent{};
    Time returned{};  // the tail of the reply
  };

  virtual ~IEndpoint() = default;

  /// Starts to send; the stream ends with a nullopt.
  virtual void send(Stream stream) = 0;
  /// Closed loop: takes `outstanding` packets of the stream now, and another whenever one of them has come to
  /// its target, or, with a `reply` of at least a byte, when the reply of its target is back. Departure::at
  /// isn't looked at. The stream ends with a nullopt.
  virtual void circulate(Stream stream, int outstanding, Bytes reply) = 0;
  /// A packet of its own has come to its target: told at once, beside the fabric.
  virtual void acknowledged() = 0;

  [[nodiscard]] virtual const std::vector<Delivery>& deliveries() const = 0;
  /// Of packets with replies.
  [[nodiscard]] virtual const std::vector<RoundTrip>& round_trips() const = 0;
};

}  // namespace kbsim::hw
