#pragma once

#include <algorithm>
#include <array>
#include <coroutine>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/reserved.hpp"
#include "kbsim/hw/pe/i_engine.hpp"
#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {
class OpLog;
}

namespace kbsim::hw {

/// Work of an engine: a command of a kernel, or the part of a composite that one tile is.
struct EngineJob {
  Time ready;  // its operands are in TCM
  Time cost;
  oplog::Op* op = nullptr;               // of a command: recorded when it ends; composites record themselves
  std::array<std::uint64_t, 2> order{};  // of a part of a composite, among those of its time
  std::int64_t commands = 1;             // whose cost it has
  Time start{};                          // from operands_of() on
  Time end = kForever;                   // once it is reported
  Cause why{};                           // of `ready`, and then of `end`, if causes are kept
};

/// A single server in program order. Its run() is ahead of simulated time: a job's cost and the readiness of
/// its operands are known when it is given, and no later job goes first. So operands_of() and busy() move the
/// engine's own time and take no event. One event retires a command at its end, when it is recorded.
class InOrderServer : public Component {
 public:
  InOrderServer(Fabric& fabric, NodeId id);

  void start(Machine& machine) override;
  /// Receives a job, waits for its operands, is busy with it and reports it: in a loop, in the model's file.
  [[nodiscard]] Task<> run() override = 0;
  [[nodiscard]] std::vector<UnitUse> use() const override;

 protected:
  /// Jobs in program order, those of composites by their order.
  [[nodiscard]] Handoff<EngineJob*>& jobs() { return jobs_; }
  /// Until the engine is free and the job's operands are there.
  [[nodiscard]] std::suspend_never operands_of(EngineJob& job) {
    job.start = free_ = std::max(job.ready, free_);
    return {};
  }
  [[nodiscard]] std::suspend_never busy(Time cost) {
    free_ = later(free_, cost);
    return {};
  }
  /// The job ends: it counts, and a command is recorded at that time.
  void report(EngineJob& job);

  /// As IEngine's issue(), occupy() and free().
  [[nodiscard]] Time serve(Time earliest, Time cost, oplog::Op&& op);
  [[nodiscard]] Task<Time> serve(std::array<std::uint64_t, 2> order, Time cost, std::int64_t commands);
  [[nodiscard]] Time server_free() const;
  /// `op` is recorded at `at`, or now if that is past, and takes no time; returns when.
  Time retire_at(Time at, oplog::Op op);
  /// As IRepeatable, for engines that keep no state beside this one's.
  void visit_server(RepeatVisitor& visitor) {
    visitor.busy_until(free_);
    use_.visit(visitor);
  }

 private:
  void give(EngineJob& job);
  void serve_asked();
  void record(EngineJob& job);
  void note_part(EngineJob& job);
  [[nodiscard]] Cause explain(const EngineJob& job);
  Task<> retire();

  oplog::OpLog* log_ = nullptr;
  Time free_{};     // the engine's own time
  Cause free_why_;  // if causes are kept
  Handoff<EngineJob*> jobs_;
  std::vector<EngineJob*> asked_;  // by composites, at this time; their addresses stay valid
  UnitUse use_;                    // its busy time includes reservations ahead
  Reserved ahead_;
  Mailbox<std::shared_ptr<oplog::Op>> retired_;
};

/// An engine that is such a server, with the interface of its kind: IGemm or IMath. A model derives from it
/// and says what it does, run(), and what commands cost.
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
