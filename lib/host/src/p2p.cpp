// Messages between two ranks, and the barrier: kernels whose queues are set up when they are first needed.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/p2p_args.hpp"

#include "group_plans.hpp"

namespace kbsim::host {
namespace {

// An entry of that name in ccl.yaml says what its queues are like; else the defaults do.
config::AlgorithmSpec queues_named(const Session& session, const std::string& name,
                                   const std::string& topology) {
  config::AlgorithmSpec queues;
  static_cast<config::CclSettings&>(queues) = session.ccl().defaults;
  const auto declared = session.ccl().algorithms.find(name);
  if (declared != session.ccl().algorithms.end()) queues = declared->second;
  queues.name = name;
  queues.topology = topology;
  return queues;
}

// A sender may be further than its receiver: that the two match is checked here, by the host.
config::AlgorithmSpec p2p_queues(const Session& session) {
  config::AlgorithmSpec queues = queues_named(session, "p2p", "all_pairs");
  queues.carries_over = true;
  return queues;
}

config::AlgorithmSpec barrier_queues(const Session& session) {
  config::AlgorithmSpec queues = queues_named(session, "barrier", "doubling_distances");
  queues.n_slots = 1;
  queues.slot_size = Bytes{itemsize(f16)};
  return queues;
}

std::vector<std::pair<PeCoord, Bytes>> parts_of(const Tensor& tensor) {
  std::vector<std::pair<PeCoord, Bytes>> parts;
  for (const Shard& shard : tensor.shards())
    parts.emplace_back(PeCoord{0, shard.spec.at.cube, shard.spec.at.pe}, shard.spec.nbytes);
  return parts;
}

P2pMove move_of(const Tensor& tensor, const Shard& shard, int peer, bool sends) {
  return {.data = tensor.ptr().bytes(shard.spec.offset_bytes),
          .n_elem = shard.spec.nbytes.count() / itemsize(tensor.dtype()),
          .peer = peer,
          .sends = sends};
}

std::shared_ptr<const hw::ControlJob> p2p_job(const std::map<PeCoord, P2pArgs>& of_pes,
                                              const std::string& queues) {
  auto job = std::make_shared<hw::ControlJob>();
  for (const auto& [pe, args] : of_pes) {
    const auto kernel = std::make_shared<const KernelCall>(kernels().at("p2p").bind(args));
    job->targets.push_back({.pe = pe, .action = hw::Launch{.kernel = kernel, .queues = queues}, .size = {}});
  }
  return job;
}

// What can't be is refused in PyTorch's words, where it has any.
struct P2pCheck {
  std::string call;
  int rank;

  void require(bool holds, const std::string& why) const {
    if (!holds) throw UsageError{call + ": " + why};
  }
  void peer(int peer, bool sends, const ProcessGroup& group) const {
    require(peer != rank, fmt::format("Invalid {0} rank: {0} rank should not be the same as the rank of the "
                                      "current process.",
                                      sends ? "destination" : "source"));
    require(group.rank_of(peer).has_value(), fmt::format("Global rank {} is not part of group", peer));
  }
  void tensor(const Tensor& tensor) const {
    require(tensor.sip() == rank, fmt::format("'{}' is on device {}, but rank {} is device {}", tensor.name(),
                                              tensor.sip(), rank, rank));
    require(!tensor.shards().empty(), fmt::format("'{}' has no elements", tensor.name()));
  }
};

}  // namespace

// Queues of one PE of each member.
std::shared_ptr<QueueSetup> Distributed::setup_of(const std::shared_ptr<ProcessGroup>& group,
                                                  const config::AlgorithmSpec& queues, PeCoord pe) {
  pe.sip = 0;
  std::shared_ptr<QueueSetup>& setup = group->setups[{queues.name, pe}];
  if (setup) return setup;
  const std::string name = fmt::format("{} on cube{}.pe{}", group->set_name(queues.name), pe.cube, pe.pe);
  const auto plans = [session = &session_, made = std::weak_ptr{group}, queues, pe] {
    const std::shared_ptr<ProcessGroup> found = made.lock();
    if (!found) return std::vector<ccl::InstallPlan>{};
    const auto added = plan_pe(*session, *found, queues, pe);
    found->plans.insert(found->plans.end(), added.begin(), added.end());
    return added;
  };
  setup = world_.queue_setups().ask(session_, name, group->members().front(), plans);
  return setup;
}

Task<hw::Activity> Distributed::launch(Job job, Setups setups) {
  std::erase_if(setups, [](const auto& setup) { return setup->done.is_set() && !setup->error; });
  const bool behind = last_sent_ && !last_sent_->is_set();
  if (setups.empty() && !behind) {
    const int sip = job->targets.front().pe.sip;
    return hw::host_of(session_.machine()).order(rank_, sip, std::move(job));
  }
  const std::shared_ptr<Event> before =
      std::exchange(last_sent_, std::make_shared<Event>(session_.sim(), "the launch before"));
  return launch_later(session_, rank_, std::move(job), std::move(setups), before, last_sent_);
}

Task<hw::Activity> Distributed::launch_later(Session& session, int rank, Job job, Setups setups,
                                             std::shared_ptr<Event> before, std::shared_ptr<Event> sent) {
  if (before) co_await before->wait();
  for (const auto& setup : setups) co_await setup->done.wait();
  const auto failed = std::ranges::find_if(setups, [](const auto& setup) { return setup->error != nullptr; });
  if (failed != setups.end()) {
    sent->set();
    std::rethrow_exception((*failed)->error);
  }
  const int sip = job->targets.front().pe.sip;
  Task<hw::Activity> ordered = hw::host_of(session.machine()).order(rank, sip, std::move(job));
  sent->set();
  const hw::Activity activity = co_await std::move(ordered);
  co_return activity;
}

Distributed::Done Distributed::barrier(Group of, Here at) {
  const std::shared_ptr<ProcessGroup> group = own_group(of, "barrier", at);
  const ProcessGroup::Agreed agreed = group->begin(
      rank_, {.call = "barrier", .operation = "BARRIER", .shape = "[]", .dtype = "none"}, at, {});
  const PeCoord pe{rank_, 0, 0};
  const config::AlgorithmSpec queues = barrier_queues(session_);
  Setups setups;
  if (group->size() > 1) setups.push_back(setup_of(group, queues, pe));
  const BarrierArgs args{.rank = *group->rank_of(rank_), .ranks = group->size()};
  const auto kernel = std::make_shared<const KernelCall>(kernels().at("dissemination_barrier").bind(args));
  auto job = std::make_shared<hw::ControlJob>();
  job->targets.push_back(
      {.pe = pe,
       .action = hw::Launch{.kernel = kernel, .queues = group->set_name(queues.name), .round = agreed.round},
       .size = {}});
  return works_.start(
      {.call = "barrier", .sequence = agreed.sequence, .rank = rank_, .group = group->number()},
      run_untimed({group, {}}, {}, launch(std::move(job), std::move(setups))), at);
}

// The tensors and the Updates live as long as this runs.
Task<std::monostate> Distributed::run_untimed(InUse tensors, std::vector<Tensor::Update>,
                                              Task<hw::Activity> launch) {
  co_await std::move(launch);
  tensors.ended();
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

Distributed::Done Distributed::begin_p2p(std::string_view call, std::vector<P2POp> ops, Here at) {
  const P2pCheck check{.call = fmt::format("{}: {}", to_string(to_place(at)), call), .rank = rank_};
  check.require(!ops.empty(), "no operations");
  const std::shared_ptr<ProcessGroup> group = own_group(ops.front().group, call, at);
  group->require_whole(at);
  check.require(!group->ranks_are_pes(), "its ranks are PEs (world_size); send in a kernel");
  const config::AlgorithmSpec queues = p2p_queues(session_);
  std::map<PeCoord, P2pArgs> of_pes;
  std::vector<Tensor::Update> updates;
  for (const P2POp& op : ops) {
    const bool sends = op.kind == P2POp::Kind::isend;
    check.require(op.group.get() == ops.front().group.get(), "All ops need to use the same group.");
    check.peer(op.peer, sends, *group);
    check.tensor(op.tensor);
    check.require(queues.slot_size >= Bytes{itemsize(op.tensor.dtype())},
                  fmt::format("an element of {} does not fit a slot of {}; raise slot_size",
                              to_string(op.tensor.dtype()), to_string(queues.slot_size)));
    for (const Shard& shard : op.tensor.shards()) {
      P2pArgs& args = of_pes[shard.spec.at];
      check.require(args.count < P2pArgs::kMost, fmt::format("more than {} shards to send and receive on {}",
                                                             P2pArgs::kMost, to_string(shard.spec.at)));
      args.slot_bytes = queues.slot_size.count();
      args.moves[static_cast<std::size_t>(args.count++)] =
          move_of(op.tensor, shard, *group->rank_of(op.peer), sends);
    }
  }
  for (const P2POp& op : ops) {
    const bool sends = op.kind == P2POp::Kind::isend;
    group->post({.call = sends ? "send" : "recv",
                 .from = sends ? rank_ : op.peer,
                 .to = sends ? op.peer : rank_,
                 .shape = to_string(op.tensor.shape()),
                 .dtype = std::string{to_string(op.tensor.dtype())},
                 .parts = parts_of(op.tensor),
                 .at = at});
    if (!sends) updates.emplace_back(op.tensor);
  }
  Setups setups;
  for (const auto& [pe, args] : of_pes) setups.push_back(setup_of(group, queues, pe));
  std::vector<Tensor> tensors;
  for (const P2POp& op : ops) tensors.push_back(op.tensor);
  InUse in_use{group, std::move(tensors)};
  Task<hw::Activity> launched = launch(p2p_job(of_pes, group->set_name(queues.name)), std::move(setups));
  return works_.start({.call = call, .sequence = messages_++, .rank = rank_, .group = group->number()},
                      run_untimed(std::move(in_use), std::move(updates), std::move(launched)), at);
}

}  // namespace kbsim::host
