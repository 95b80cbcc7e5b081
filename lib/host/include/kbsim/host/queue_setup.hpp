#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host {

/// Queues that are being set up or removed by messages. Await it before using them.
struct QueueSetup {
  QueueSetup(Simulation& sim, const std::string& what) : done{sim, "the queues of " + what} {}

  Event done;
  std::exception_ptr error;
};

/// Sets up queues that ranks request while the program runs. Requests of one time are planned in the order of
/// their names, whichever came first.
class QueueSetups {
 public:
  using Plans = std::function<std::vector<ccl::InstallPlan>()>;

  /// Requests queues; rank `by` sends the messages. `plans` runs late at this time, and may throw UsageError.
  std::shared_ptr<QueueSetup> ask(Session& session, const std::string& name, int by, Plans plans);

  /// Waits for the setup. Rethrows its error.
  [[nodiscard]] static Task<> ready(std::shared_ptr<QueueSetup> setup);

 private:
  struct Request {
    int by;
    Plans plans;
    std::shared_ptr<QueueSetup> setup;
  };
  static Task<> serve(Session& session, QueueSetups* self);
  std::map<std::string, Request> requests_;
};

/// Installs the plans on all packages, by messages of rank `by`.
[[nodiscard]] Task<> install_queues(Session& session, int by, std::vector<ccl::InstallPlan> plans,
                                    bool beside);
/// Aborts all waits of kernels in these queues, by messages of rank `by`; then sets `done`.
[[nodiscard]] Task<> abort_queues(Session& session, int by, std::vector<ccl::InstallPlan> plans,
                                  std::shared_ptr<QueueSetup> done);
/// Removes the queues and frees their memory.
[[nodiscard]] Task<> remove_queues(Session& session, int by, std::vector<ccl::InstallPlan> plans);

}  // namespace kbsim::host
