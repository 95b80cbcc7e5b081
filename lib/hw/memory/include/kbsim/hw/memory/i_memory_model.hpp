#pragma once

#include <cstdint>

#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

/// The parts in which memories differ beside their timing: addresses, finished messages, shared ports.
class IMemoryModel {
 public:
  /// Address of the first byte that a message writes here.
  [[nodiscard]] virtual std::int64_t address_of(const Message& message) const = 0;
  /// A message with data for this memory is served at `at`, now or later.
  virtual void finished(MessagePtr message, Time at) = 0;
  /// If ports are shared: reads, and all requests after them, wait until the other unit has read.
  [[nodiscard]] virtual bool puts_off() = 0;

 protected:
  ~IMemoryModel() = default;
};

}  // namespace kbsim::hw
