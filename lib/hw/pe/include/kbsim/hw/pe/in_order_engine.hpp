#pragma once

#include <array>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/reserved.hpp"
#include "kbsim/hw/pe/i_engine.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::hw {

/// A single server in program order: start = max(earliest, free). One event retires a command at its end,
/// when it is recorded.
class InOrderServer : public Component {
 public:
  InOrderServer(Fabric& fabric, NodeId id);

  void start(Machine& machine) override;
  [[nodiscard]] std::vector<UnitUse> use() const override;

 protected:
  /// As IEngine's issue(), occupy() and free().
  [[nodiscard]] Time serve(Time earliest, Time cost, oplog::Op&& op);
  [[nodiscard]] Task<Time> serve(std::array<std::uint64_t, 2> order, Time cost, std::int64_t commands);
  [[nodiscard]] Time server_free() const;
  /// `op` is recorded at `at`, or now if that is past, and takes no time; returns when.
  Time retire_at(Time at, oplog::Op op);

 private:
  // A request to occupy the server; its address stays valid until it is served.
  struct Work {
    std::array<std::uint64_t, 2> order;
    Time cost{};
    std::int64_t commands = 1;
    Time end{};   // known once it is served
    Cause why{};  // of the request, and then of its end, if causes are kept
  };
  void serve_asked();
  [[nodiscard]] Cause explain(const Cause& own, Time start, Time end, std::int64_t commands);
  Task<> retire();

  oplog::OpLog* log_ = nullptr;
  Time free_{};
  Cause free_why_;  // if causes are kept
  std::vector<Work*> asked_;
  UnitUse use_;  // its busy time includes reservations ahead
  Reserved ahead_;
  Mailbox<std::shared_ptr<oplog::Op>> retired_;
};

/// An engine that is such a server, with the interface of its kind: IGemm or IMath. A model derives from it
/// and says what commands cost.
template <class Engine>
class InOrderEngine : public InOrderServer, public Engine {
 public:
  using InOrderServer::InOrderServer;

  [[nodiscard]] Time issue(Time earliest, Time cost, oplog::Op op) override {
    return serve(earliest, cost, std::move(op));
  }
  [[nodiscard]] Task<Time> occupy(std::array<std::uint64_t, 2> order, Time cost,
                                  std::int64_t commands) override {
    return serve(order, cost, commands);
  }
  [[nodiscard]] Time free() const override { return server_free(); }
  [[nodiscard]] NodeId unit() const override { return id(); }
};

}  // namespace kbsim::hw
