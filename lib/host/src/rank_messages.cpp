// Messages between two ranks, by kernels. Their queues are set up at the first use.
#include <map>

#include <fmt/format.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/p2p_args.hpp"

#include "aliasing.hpp"
#include "collective_call.hpp"
#include "exchange.hpp"

namespace kbsim::host {
namespace {

// A sender may be ahead of its receiver, so queues carry tiles over launches. The host matches the calls.
config::AlgorithmSpec p2p_queues(const Session& session) {
  config::AlgorithmSpec queues = queues_named(session, "p2p", "all_pairs");
  queues.carries_over = true;
  return queues;
}

std::vector<std::pair<PeCoord, Bytes>> parts_of(const Tensor& tensor) {
  std::vector<std::pair<PeCoord, Bytes>> parts;
  for (const Shard& shard : tensor.shards())
    parts.emplace_back(PeCoord{0, shard.spec.at.cube, shard.spec.at.pe}, shard.spec.nbytes);
  return parts;
}

bool is_send(const P2POp& op) { return op.kind == P2POp::Kind::isend; }

P2pMove move_of(const P2POp& op, const Shard& shard, int peer) {
  return {.data = op.tensor.ptr().bytes(shard.spec.offset_bytes),
          .n_elem = shard.spec.nbytes.count() / itemsize(op.tensor.dtype()),
          .peer = peer,
          .sends = is_send(op)};
}

using MovesOfPes = std::map<PeCoord, P2pArgs>;
MovesOfPes moves_of_pes(const std::vector<P2POp>& ops, const ProcessGroup& group, Bytes slot_size,
                        const PairCheck& check) {
  MovesOfPes of_pes;
  for (const P2POp& op : ops) {
    for (const Shard& shard : op.tensor.shards()) {
      P2pArgs& args = of_pes[shard.spec.at];
      check.require(args.count < P2pArgs::kMost, fmt::format("more than {} shards to send and receive on {}",
                                                             P2pArgs::kMost, to_string(shard.spec.at)));
      args.slot_bytes = slot_size.count();
      args.moves[static_cast<std::size_t>(args.count++)] = move_of(op, shard, *group.rank_of(op.peer));
    }
  }
  return of_pes;
}

std::shared_ptr<const hw::ControlJob> p2p_job(const MovesOfPes& of_pes, const std::string& queues) {
  auto job = std::make_shared<hw::ControlJob>();
  for (const auto& [pe, args] : of_pes) {
    const auto kernel = std::make_shared<const KernelCall>(kernels().at("p2p").bind(args));
    job->targets.push_back({.pe = pe, .action = hw::Launch{.kernel = kernel, .queues = queues}, .size = {}});
  }
  return job;
}

void require_messages(const std::vector<P2POp>& ops, const ProcessGroup& group, Bytes slot_size,
                      const PairCheck& check) {
  for (const P2POp& op : ops) {
    check.require(op.group.get() == ops.front().group.get(), "All ops need to use the same group.");
    check.peer(op.peer, is_send(op), group);
    check.tensor(op.tensor, slot_size);
  }
}

// A received tensor must not overlap with a tensor of another operation of the call.
void require_messages_apart(World& world, int rank, const std::vector<P2POp>& ops, const std::string& call) {
  const auto named = [&](std::size_t i) {
    return AliasedTensor{fmt::format("{} {}", is_send(ops[i]) ? "isend" : "irecv", i), ops[i].tensor};
  };
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_send(ops[i]) || !is_send(ops[j])) require_apart(world, rank, call, named(j), named(i));
    }
  }
}

std::vector<Tensor> tensors_in(const std::vector<P2POp>& ops) {
  return ops | ranges::views::transform(&P2POp::tensor) | ranges::to<std::vector>;
}

void note_messages(const void* call, const std::vector<P2POp>& ops, ICallWatch& calls) {
  for (const P2POp& op : ops) {
    calls.carries(call, {.kind = is_send(op) ? CallFacts::Kind::send : CallFacts::Kind::receive,
                         .bytes = op.tensor.shape().bytes(op.tensor.dtype()),
                         .peer = op.peer});
  }
}

std::vector<Tensor::Update> received_in(const std::vector<P2POp>& ops) {
  std::vector<Tensor::Update> updates;
  for (const P2POp& op : ops) {
    if (!is_send(op)) updates.emplace_back(op.tensor);
  }
  return updates;
}

}  // namespace

// The tensors and the Updates live as long as this runs.
Task<std::monostate> Distributed::run_messages(InUse tensors, std::vector<Tensor::Update>,
                                               Task<hw::Activity> launch) {
  const hw::Activity activity = co_await std::move(launch);
  tensors.ended();
  session_.messages().push_back({rank_, activity});
  co_return std::monostate{};
}

Distributed::Done Distributed::isend(Tensor tensor, int dst, Group group, Here at) {
  return begin_p2p("isend", {{.kind = P2POp::Kind::isend, .tensor = tensor, .peer = dst, .group = group}},
                   at);
}

Distributed::Done Distributed::irecv(Tensor tensor, int src, Group group, Here at) {
  return begin_p2p("irecv", {{.kind = P2POp::Kind::irecv, .tensor = tensor, .peer = src, .group = group}},
                   at);
}

Distributed::Done Distributed::batch_isend_irecv(std::vector<P2POp> ops, Here at) {
  return begin_p2p("batch_isend_irecv", std::move(ops), at);
}

// Pairs each message with the other side's.
void Distributed::post(const std::vector<P2POp>& ops, const Site& site, Here at) const {
  for (const P2POp& op : ops) {
    site.group->post({.sends = is_send(op),
                      .from = is_send(op) ? rank_ : op.peer,
                      .to = is_send(op) ? op.peer : rank_,
                      .shape = to_string(op.tensor.shape()),
                      .dtype = std::string{to_string(op.tensor.dtype())},
                      .parts = parts_of(op.tensor),
                      .devices = site.devices,
                      .at = at});
  }
}

Distributed::Done Distributed::begin_p2p(std::string_view call, std::vector<P2POp> ops, Here at) {
  if (ops.empty()) throw UsageError{fmt::format("{}: {}: no operations", to_string(to_place(at)), call)};
  const Site site = site_of(ops.front().group, call, at);
  const PairCheck check{.call = fmt::format("{}: {}", to_string(to_place(at)), call),
                        .rank = rank_,
                        .device = site.device,
                        .at = at};
  check.require(!site.group->ranks_are_pes(), "its ranks are PEs (world_size); send in a kernel");
  const config::AlgorithmSpec queues = p2p_queues(session_);
  require_messages(ops, *site.group, queues.slot_size, check);
  require_messages_apart(world_, rank_, ops, check.call);
  const MovesOfPes of_pes = moves_of_pes(ops, *site.group, queues.slot_size, check);
  post(ops, site, at);
  Setups setups;
  for (const auto& [pe, args] : of_pes) setups.push_back(setup_of(site, queues, pe));
  InUse in_use{site.group, tensors_in(ops)};
  Task<hw::Activity> launched =
      launch(p2p_job(of_pes, site.set_name(queues.name)), std::move(setups), tensors_in(ops));
  const Done work =
      works_.start({.call = call, .sequence = messages_++, .rank = rank_, .group = site.group->number()},
                   run_messages(std::move(in_use), received_in(ops), std::move(launched)), at);
  if (ICallWatch* const calls = session_.calls()) note_messages(work.key(), ops, *calls);
  return work;
}

}  // namespace kbsim::host
