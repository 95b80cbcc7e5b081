#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/sim/causes.hpp"
#include "kbsim/sim/served_work.hpp"

namespace kbsim {

/// While all causes are kept: in which order servers of one work at a time got their works, which holds as
/// long as the arrivals keep their order.
class ServerOrders {
 public:
  /// Two moments: `first` was served first, because it arrived first.
  struct Order {
    std::uint32_t first;
    std::uint32_t second;
  };

  explicit ServerOrders(Causes& causes) : causes_{causes}, moments_{causes.moments()} {}
  ServerOrders(const ServerOrders&) = delete;
  ServerOrders& operator=(const ServerOrders&) = delete;

  /// `came` is the arrival that `server`, which serves in arrival order, serves next.
  void comes_next(ServerId server, const Cause& came) {
    if (!causes_.keeps_all()) return;
    std::uint32_t& before = last_of(server);
    if (before != 0) {
      orders_.push_back(
          {.first = before, .second = came.id()});  // the order keeps the reference to the first
      moments_.retain(came.id());
    }
    moments_.retain(came.id());
    before = came.id();
  }
  /// Makes the moments that Causes::make(), comes_next() and Causes::latest() would make of `work`, at most
  /// five, in one call. `head` becomes the cause of its start; `tail` and `holder`, which was the end of the
  /// work before, become the cause of its leaving. Returns false and changes nothing if not all causes are
  /// kept, there is no room for five, or the times don't fit.
  [[nodiscard]] bool serve(ServerId server, const ServedWork& work, Cause& head, Cause& tail, Cause& holder);
  /// Results hold as long as `first` is no later than `second`. Either may be none.
  void in_order(const Cause& first, const Cause& second);

  [[nodiscard]] const std::vector<Order>& all() const { return orders_; }
  /// Forgets all of them, for good.
  void clear();

 private:
  [[nodiscard]] bool can_serve(const ServedWork& work, const Cause& head, const Cause& tail,
                               const Cause& holder) const;
  [[nodiscard]] std::uint32_t comes_behind(ServerId server, std::uint32_t came);
  [[nodiscard]] std::uint32_t put_service(const ServedWork& work, std::uint32_t own, std::uint32_t free);
  [[nodiscard]] std::uint32_t put_end(const ServedWork& work, std::uint32_t served, std::uint32_t tail);
  // The server's last arrival, held; 0: none yet.
  [[nodiscard]] std::uint32_t& last_of(ServerId server) {
    if (server.kind < came_.size() && server.number < came_[server.kind].size()) [[likely]]
      return came_[server.kind][server.number];
    return first_of(server);
  }
  [[gnu::cold]] std::uint32_t& first_of(ServerId server);

  Causes& causes_;
  Moments& moments_;
  std::vector<Order> orders_;                     // each holds both
  std::vector<std::vector<std::uint32_t>> came_;  // held: last arrivals, by the server's kind and number
};

}  // namespace kbsim
