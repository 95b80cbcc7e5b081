#pragma once

#include <coroutine>
#include <cstdint>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/detail/named_wait.hpp"
#include "kbsim/sim/server.hpp"  // IWYU pragma: export
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// Counted units that processes take and give back: a buffer's places, credits, slots. Requests are
/// granted in their order, none overtakes a larger one that waits; so whoever contends at one time
/// should decide late. A waiter whose units come resumes at the present time.
class Resource {
 public:
  class Acquire;
  class Grant;

  Resource(Simulation& sim, std::string name, std::int64_t units)
      : scheduler_{sim.scheduler()}, name_{std::move(name)}, units_{units}, free_{units} {}
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
  ~Resource();

  /// Throws UsageError unless 0 < n <= units().
  [[nodiscard]] Acquire acquire(std::int64_t n = 1,
                                const std::source_location& at = std::source_location::current());

  [[nodiscard]] std::int64_t units() const { return units_; }
  [[nodiscard]] std::int64_t available() const { return free_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void give_back(std::int64_t n);

  detail::Scheduler& scheduler_;
  std::string name_;
  std::int64_t units_;
  std::int64_t free_;
  detail::List waiters_;
  detail::List grants_;
};

/// Units that are held until it goes away or release() is called. May outlive the resource.
class [[nodiscard]] Resource::Grant : private detail::Link {
 public:
  Grant() = default;
  Grant(Resource& resource, std::int64_t n) : resource_{&resource}, n_{n} {
    resource.grants_.push_back(*this);
  }
  Grant(Grant&& other) noexcept { *this = std::move(other); }
  Grant& operator=(Grant&& other) noexcept;
  ~Grant() { release(); }

  void release();
  [[nodiscard]] std::int64_t units() const { return linked() ? n_ : 0; }

 private:
  friend class Resource;
  Resource* resource_ = nullptr;
  std::int64_t n_ = 0;
};

class [[nodiscard]] Resource::Acquire final : public detail::NamedWait {
 public:
  Acquire(Resource& resource, std::int64_t n, const std::source_location& at)
      : NamedWait{"resource", resource.name_, at}, resource_{resource}, n_{n} {}
  bool await_ready();
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiter) {
    begin(waiter.promise(), resource_.scheduler_.now());
    resource_.waiters_.push_back(waiter.promise());
  }
  Grant await_resume() { return std::move(grant_); }

 private:
  friend class Resource;
  Resource& resource_;
  std::int64_t n_;
  Grant grant_;
};

}  // namespace kbsim
