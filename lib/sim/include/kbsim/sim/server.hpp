#pragma once

#include <algorithm>
#include <coroutine>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// A single server in FIFO order: a use starts when all earlier ones have ended, and waits until its own
/// end, in one event. Uses at one time are served in the order of their requests, so whoever contends
/// at one time should decide late. A cancelled use keeps its time.
class Server {
 public:
  class Use;

  Server(Simulation& sim, std::string name) : sim_{sim}, name_{std::move(name)} {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Throws UsageError if service < 0.
  [[nodiscard]] Use use(Time service, const std::source_location& at = std::source_location::current());

  [[nodiscard]] Time free_at() const { return free_at_; }  // when all requested uses will have ended
  [[nodiscard]] Time busy() const { return busy_; }        // the sum of all requested uses
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  Simulation& sim_;
  std::string name_;
  Time free_at_{};
  Time busy_{};
};

class [[nodiscard]] Server::Use final : public detail::Wait {
 public:
  Use(Server& server, Time service, const std::source_location& at)
      : Wait{at}, server_{server}, service_{service} {}
  bool await_ready() {
    server_.free_at_ = std::max(server_.free_at_, server_.sim_.now()) + service_;
    server_.busy_ += service_;
    return server_.free_at_ == server_.sim_.now();
  }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiter) {
    begin(waiter.promise(), server_.sim_.now());
    server_.sim_.scheduler().at(waiter.promise(), server_.free_at_);
  }
  static void await_resume() noexcept {}
  [[nodiscard]] std::string what() const override { return "server " + server_.name_; }

 private:
  Server& server_;
  Time service_;
};

inline Server::Use Server::use(Time service, const std::source_location& at) {
  static_cast<void>(sim_.after(service, at));
  return Use{*this, service, at};
}

}  // namespace kbsim
