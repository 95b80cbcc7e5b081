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
    Time sent{};
    Time arrived{};
  };

  virtual ~IEndpoint() = default;

  /// Starts to send; the stream ends with a nullopt.
  virtual void send(Stream stream) = 0;
  [[nodiscard]] virtual const std::vector<Delivery>& deliveries() const = 0;
};

}  // namespace kbsim::hw
