#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "kbsim/hw/pe/pe_commands.hpp"
#include "kbsim/hw/pe/pe_units.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::hw {

/// The order in which a kernel's sends leave: those of a direction in program order, though their tiles may
/// be ready in another. It outlives the sends, whose kernel has it.
class SendTurns {
 public:
  explicit SendTurns(const PeUnits& units) : units_{units} {}

  /// Its tile is ready at `at`: it leaves then, after earlier sends of its direction.
  void leave(Time at, SendCommand&& send);
  /// It leaves with the tile that `loaded` gives; later sends of its direction leave after it.
  void leave_with(PendingPtr loaded, SendCommand&& send);

 private:
  struct LastSend {
    Time at{};
    std::shared_ptr<Event> loaded;  // a send from memory has left
    Cause why = {};                 // of `at`, if causes are kept
  };

  void leave_now(Time at, SendCommand&& send);
  Task<> leave_after(std::shared_ptr<KernelContext> owner, std::shared_ptr<Event> before, Time at,
                     SendCommand send);
  Task<> leave_when_loaded(std::shared_ptr<KernelContext> owner, PendingPtr loaded,
                           std::shared_ptr<Event> before, std::shared_ptr<Event> left, SendCommand send);
  [[nodiscard]] Cause next_step() const;

  const PeUnits& units_;
  std::map<std::size_t, LastSend> last_;  // by queue
};

}  // namespace kbsim::hw
