#pragma once

#include <memory>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"

namespace kbsim::hw {

/// The unit of a PE that runs launched kernels, one after the other, and reports their ends.
class ICpu {
 public:
  virtual ~ICpu() = default;

  /// The order whose kernel runs here; nullptr if none does.
  [[nodiscard]] virtual const Control* order() const = 0;
  /// The launch's kernel runs here (runs) or waits for earlier ones to end (queues); if neither, it has
  /// ended.
  [[nodiscard]] virtual bool runs(const ControlJob& launch) const = 0;
  [[nodiscard]] virtual bool queues(const ControlJob& launch) const = 0;
  /// The kernel that runs; nullptr if none does.
  [[nodiscard]] virtual std::shared_ptr<const KernelContext> kernel() const = 0;
};

}  // namespace kbsim::hw
