#include "kbsim/hw/pe/in_order_engine.hpp"

#include <algorithm>

#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/sim/pool_allocator.hpp"

namespace kbsim::hw {

InOrderServer::InOrderServer(Fabric& fabric, NodeId id)
    : Component{fabric, id}, retired_{fabric.sim(), {name(), "retire"}} {}

void InOrderServer::start(Machine& machine) {
  log_ = &machine.log();
  serve_box<&InOrderServer::retired_, &InOrderServer::retire>(*this);
}

std::vector<UnitUse> InOrderServer::use() const {
  UnitUse done = use_;
  done.busy -= ahead_.after(sim().now());
  return {done};
}

Time InOrderServer::serve(Time earliest, Time cost, oplog::Op&& op) {
  op.unit = id();
  op.start = std::max(earliest, free_);
  op.end = later(op.start, cost);
  free_ = op.end;
  const Time waited = op.start - earliest;
  use_ += {.served = 1, .busy = cost, .waited = waited, .longest = waited + cost};
  ahead_.add(op.start, op.end, sim().now());
  const Time end = op.end;
  if (sim().causes() != nullptr) [[unlikely]]
    sim().causes()->because(explain(sim().causes()->of(earliest), op.start, end, 1));
  retired_.post(end, make_pooled<oplog::Op>(std::move(op)));
  if (sim().causes() != nullptr) [[unlikely]]
    sim().causes()->because(free_why_);
  return end;
}

Cause InOrderServer::explain(const Cause& own, Time start, Time end, std::int64_t commands) {
  const Why work = why(Reason::engine, id(), Bytes{commands});
  return hw::serve(*sim().causes(), own, start, end, free_why_, why(Reason::engine_free, id()), work).end;
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
  Work work{.order = order, .cost = cost, .commands = commands};
  asked_.push_back(&work);
  if (sim().causes() != nullptr) work.why = sim().causes()->current();
  co_await sim().late();
  serve_asked();
  if (sim().causes() != nullptr) sim().causes()->because(work.why);
  co_await sim().delay(work.end - sim().now());  // in the arrival phase again, even if it took no time
  co_return cost;
}

// Serves the requests of this time by `order`.
void InOrderServer::serve_asked() {
  std::ranges::sort(asked_, {}, &Work::order);
  for (Work* work : asked_) {
    const Time waited = std::max(sim().now(), free_) - sim().now();
    free_ = work->end = later(sim().now() + waited, work->cost);
    use_ += {.served = 1, .busy = work->cost, .waited = waited, .longest = waited + work->cost};
    ahead_.add(free_ - work->cost, free_, sim().now());
    if (ISpans* const spans = fabric().spans()) {
      spans->add({.kind = SpanKind::work,
                  .unit = id(),
                  .what = "tile of a composite",
                  .ready = sim().now(),
                  .start = free_ - work->cost,
                  .end = free_,
                  .id = work->order[0]});
    }
    if (sim().causes() == nullptr) continue;
    sim().causes()->comes_next(server(Reason::engine, id().value()), work->why);
    work->why = explain(work->why, work->end - work->cost, work->end, work->commands);
  }
  asked_.clear();
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
