#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

/// A source and sink of synthetic traffic. It sends a stream of packets, each as a whole at its time. It
/// records an arrival when the tail is there.
class IEndpoint {
 public:
  struct Departure {
    Time at{};  // not before the previous one
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
  /// Closed loop: sends `outstanding` packets of the stream now, and another whenever one arrives at its
  /// target. With a `reply` of at least one byte, the target's reply must be back first. Departure::at is
  /// ignored. The stream ends with a nullopt.
  virtual void circulate(Stream stream, int outstanding, Bytes reply) = 0;
  /// One of its packets has arrived at its target; reported at once, beside the fabric.
  virtual void acknowledged() = 0;

  [[nodiscard]] virtual const std::vector<Delivery>& deliveries() const = 0;
  /// Only for packets with replies.
  [[nodiscard]] virtual const std::vector<RoundTrip>& round_trips() const = 0;
};

}  // namespace kbsim::hw
