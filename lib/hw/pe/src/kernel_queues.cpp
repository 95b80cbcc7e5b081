// A kernel's sends to other PEs, and its receives from them.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/race_watch.hpp"

#include "own_tile.hpp"

namespace kbsim::hw {
namespace {

// None for Dir::any.
std::optional<std::size_t> queue_of(const IQueueView& queues, Dir dir, Bytes n, Flow use,
                                    const std::source_location& at) {
  const std::string_view call = use == Flow::sends ? "send" : "recv";
  std::optional<std::size_t> found;
  try {
    const bool one = dir != Dir::any || queues.slot_size() == 0_B;  // without queues there is no `any`
    if (one) found = queues.queue(dir.name(), use);
  } catch (const KernelFault& unknown) {
    throw fault_at(at, fmt::format("{}: {}", call, unknown.what()));
  }
  const Bytes slot = queues.slot_size();
  if (n > slot) {
    throw fault_at(
        at, fmt::format("{} '{}': {} do not fit a slot of {}; send in chunks, or raise slot_size in ccl.yaml",
                        call, dir.name(), to_string(n), to_string(slot)));
  }
  return found;
}

}  // namespace

// The receiver gets the vector clock of now; for a send from memory it also includes the load.
SendCommand KernelContext::outgoing(Dir dir, Bytes n, int tag, PendingPtr done) {
  const std::source_location& at = done->at();
  oplog::KnowledgePtr known;
  if (issue_) {
    issue_->publishes(oplog::Handover::send);
    known = issue_->published_early();
  } else if (agent_) {
    known = agent_->publish(oplog::Handover::send);
  }
  return {.queue = *queue_of(*units_.ipcq, dir, n, Flow::sends, at),
          .tile = nullptr,
          .tag = tag,
          .kernel = shared_from_this(),
          .value = units_.reserve(),
          .pending = std::move(done),
          .order = ++order_,
          .known = std::move(known)};
}

PendingPtr KernelContext::send(Dir dir, const TilePtr& tile, int tag, std::source_location at) {
  PendingPtr done = commands_.under_way(SendWait{dir}, at);
  SendCommand send = outgoing(dir, own_tile(tile).size(), tag, done);
  send.tile = tile;
  in_order(at, [this, at, send = std::move(send)]() mutable {
    const Time turn = turns_.issue(at);
    const Time start = std::max(turn, own_tile(send.tile).ready());
    if (Causes* const causes = units_.sim->causes()) [[unlikely]]
      send.why = causes->latest(turns_.why(), own_tile(send.tile).why());
    sends_.leave(start, std::move(send));
  });
  return done;
}

PendingPtr KernelContext::recv(Dir dir, Shape shape, DType dtype, int tag, std::source_location at) {
  PendingPtr done = commands_.pending(RecvWait{dir}, at);
  done->issued_as(units_.races->issue(agent_));
  const Bytes size = shape.bytes(dtype);
  RecvCommand recv{.queue = queue_of(*units_.ipcq, dir, size, Flow::receives, at),
                   .shape = shape,
                   .dtype = dtype,
                   .tag = tag,
                   .kernel = shared_from_this(),
                   .pending = done,
                   .order = ++order_};
  const Bytes taken = units_.ipcq->fetches() ? size : 0_B;
  const bool now = turns_.may_issue(taken, {&shape, dtype}, at);
  if (units_.ipcq->fetches()) {
    recv.value = units_.reserve();
    recv.into = coming(recv.value, shape, dtype, at);
  }
  in_order(now, taken, at, [this, at, recv = std::move(recv)]() mutable {
    if (recv.into) recv.into->take();
    units_.scheduler->submit(turns_.issue(at), std::move(recv));
  });
  return done;
}

}  // namespace kbsim::hw
