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

/// Queues that are being set up or taken away by messages; who uses them awaits it.
struct QueueSetup {
  QueueSetup(Simulation& sim, const std::string& what) : done{sim, "the queues of " + what} {}

  Event done;
  std::exception_ptr error;
};

/// Sets up queues that ranks ask for while the program runs. What is asked for at one time is planned in the
/// order of the names, whoever asked first.
class QueueSetups {
 public:
  using Plans = std::function<std::vector<ccl::InstallPlan>()>;

  /// The messages are those of rank `by`. `plans` runs late at this time, and may throw a UsageError.
  std::shared_ptr<QueueSetup> ask(Session& session, const std::string& name, int by, Plans plans);

  /// Rethrows what has failed.
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

/// All of it, on every package, by messages of rank `by`.
[[nodiscard]] Task<> install_queues(Session& session, int by, std::vector<ccl::InstallPlan> plans,
                                    bool beside);
/// Ends all that kernels wait for in these queues, by messages of rank `by`: `done` then.
[[nodiscard]] Task<> abort_queues(Session& session, int by, std::vector<ccl::InstallPlan> plans,
                                  std::shared_ptr<QueueSetup> done);
/// Takes them away and gives their memory back.
[[nodiscard]] Task<> remove_queues(Session& session, int by, std::vector<ccl::InstallPlan> plans);

}  // namespace kbsim::host
