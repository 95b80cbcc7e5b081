#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

#include "kbsim/sim/detail/pool.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// A simulation as an Asio executor. Work that is posted, deferred, dispatched or co_spawned on it runs
/// within Simulation::run(), at the simulated time of its submission, as an event in schedule order; never
/// inside the call. Work that hasn't run when the simulation goes away is destroyed. Asio's own timers know
/// real time alone: use SimulatedTimer. A Task awaits an operation by in_task(), Asio code a Task by
/// async_run(). For the simulation's thread alone.
class SimulationExecutor {
 public:
  explicit SimulationExecutor(Simulation& sim) : sim_{&sim} {}

  template <class Function>
  void execute(Function&& function) const {
    sim_->scheduler().ready(*new Work<std::decay_t<Function>>{std::forward<Function>(function)});
  }

  [[nodiscard]] Simulation& simulation() const { return *sim_; }
  friend bool operator==(const SimulationExecutor&, const SimulationExecutor&) = default;

  [[nodiscard]] boost::asio::execution_context& query(boost::asio::execution::context_t) const;
  static constexpr boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) noexcept {
    return boost::asio::execution::blocking.never;
  }
  static constexpr boost::asio::execution::relationship_t query(
      boost::asio::execution::relationship_t) noexcept {
    return boost::asio::execution::relationship.fork;
  }
  static constexpr boost::asio::execution::outstanding_work_t query(
      boost::asio::execution::outstanding_work_t) noexcept {
    return boost::asio::execution::outstanding_work.untracked;
  }

 private:
  template <class Function>
  struct Work : detail::TimedEvent {
    template <class From>
    explicit Work(From&& from) : TimedEvent{&run}, function{std::forward<From>(from)} {}
    static void* operator new(std::size_t size) { return detail::Pool::allocate(size); }
    static void operator delete(void* work, std::size_t size) { detail::Pool::free(work, size); }
    static void run(detail::TimedEvent& event, detail::Scheduler* scheduler) {
      std::unique_ptr<Work> self{static_cast<Work*>(&event)};
      if (scheduler == nullptr) return;
      scheduler->running().set(nullptr);
      Function todo{std::move(self->function)};
      self.reset();
      std::move(todo)();
    }
    Function function;
  };

  Simulation* sim_;
};

[[nodiscard]] inline SimulationExecutor executor_of(Simulation& sim) { return SimulationExecutor{sim}; }

}  // namespace kbsim
