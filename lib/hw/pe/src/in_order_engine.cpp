#include "kbsim/hw/pe/in_order_engine.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/sim/pool_allocator.hpp"
#include "kbsim/sim/server_orders.hpp"

namespace kbsim::hw {

InOrderServer::InOrderServer(Fabric& fabric, NodeId id)
    : Component{fabric, id}, jobs_{fabric.sim(), name()}, retired_{fabric.sim(), {name(), "retire"}} {}

void InOrderServer::start(Machine& machine) {
  log_ = &machine.log();
  serve_handoff<&InOrderServer::jobs_, &InOrderServer::run>(*this);
  serve_box<&InOrderServer::retired_, &InOrderServer::retire>(*this);
}

std::vector<UnitUse> InOrderServer::use() const {
  UnitUse done = use_;
  done.busy -= ahead_.after(sim().now());
  return {done};
}

void InOrderServer::report(EngineJob& job) {
  job.end = free_;
  const Time cost = job.end - job.start;
  const Time waited = job.start - job.ready;
  use_ += {.served = 1, .busy = cost, .waited = waited, .longest = waited + cost};
  ahead_.add(job.start, job.end, sim().now());
  if (job.op != nullptr)
    record(job);
  else
    note_part(job);
}

// A time beyond simulated time is an error of the command.
void InOrderServer::give(EngineJob& job) {
  (void)later(std::max(job.ready, free_), job.cost);
  jobs_.hand(&job);
  ensure(job.end != kForever, [&] { return name() + " reports each job before it receives the next"; });
}

Time InOrderServer::serve(Time earliest, Time cost, oplog::Op&& op) {
  EngineJob job{.ready = earliest, .cost = cost, .op = &op};
  if (sim().causes() != nullptr) [[unlikely]]
    job.why = sim().causes()->of(earliest);
  give(job);
  return job.end;
}

void InOrderServer::record(EngineJob& job) {
  oplog::Op& op = *job.op;
  op.unit = id();
  op.start = job.start;
  op.end = job.end;
  if (sim().causes() != nullptr) [[unlikely]]
    sim().causes()->because(explain(job));
  retired_.post(job.end, make_pooled<oplog::Op>(std::move(op)));
  if (sim().causes() != nullptr) [[unlikely]]
    sim().causes()->because(free_why_);
}

Cause InOrderServer::explain(const EngineJob& job) {
  const Why work = why(Reason::engine, id(), Bytes{job.commands});
  return hw::serve(*sim().causes(), job.why, job.start, job.end, free_why_, why(Reason::engine_free, id()),
                   work)
      .end;
}

// Also offers the cause to the caller's next event.
Time InOrderServer::server_free() const {
  if (sim().causes() != nullptr) [[unlikely]]
    sim().causes()->because(free_why_);
  return free_;
}

// Decides late: a kernel's commands, stages and composites that ask for the engine at one time are served in
// an order that doesn't depend on the order of events.
Task<Time> InOrderServer::serve(std::array<std::uint64_t, 2> order, Time cost, std::int64_t commands) {
  EngineJob job{.ready = sim().now(), .cost = cost, .order = order, .commands = commands};
  asked_.push_back(&job);
  if (sim().causes() != nullptr) job.why = sim().causes()->current();
  co_await sim().late();
  serve_asked();
  if (sim().causes() != nullptr) sim().causes()->because(job.why);
  co_await sim().delay(job.end - sim().now());  // in the arrival phase again, even if it took no time
  co_return cost;
}

// The first of this time to ask gives all.
void InOrderServer::serve_asked() {
  std::ranges::sort(asked_, {}, &EngineJob::order);
  for (EngineJob* const job : asked_) give(*job);
  asked_.clear();
}

void InOrderServer::note_part(EngineJob& job) {
  if (ISpans* const spans = fabric().spans()) {
    spans->add({.kind = SpanKind::work,
                .unit = id(),
                .what = "tile of a composite",
                .ready = job.ready,
                .start = job.start,
                .end = job.end,
                .id = job.order[0]});
  }
  if (sim().causes() == nullptr) return;
  sim().causes()->orders().comes_next(server(Reason::engine, id().value()), job.why);
  job.why = explain(job);
}

Time InOrderServer::retire_at(Time at, oplog::Op op) {
  at = std::max(at, sim().now());
  op.unit = id();
  op.start = op.end = at;
  retired_.post(at, make_pooled<oplog::Op>(std::move(op)));
  return at;
}

Task<> InOrderServer::retire() {
  for (;;) {
    const std::shared_ptr<oplog::Op> op = co_await retired_.receive();
    log_->record(std::move(*op));
  }
}

}  // namespace kbsim::hw
