#include "kbsim/base/registry.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/p2p_args.hpp"

#include "collective_call.hpp"
#include "exchange.hpp"

namespace kbsim::host {
namespace {

config::AlgorithmSpec barrier_queues(const Session& session) {
  config::AlgorithmSpec queues = queues_named(session, "barrier", "doubling_distances");
  queues.n_slots = 1;
  queues.slot_size = Bytes{itemsize(f16)};
  return queues;
}

}  // namespace

Distributed::Done Distributed::barrier(Group of, Here at) {
  const Site site = site_of(of, "barrier", at);
  ProcessGroup& group = *site.group;
  const ProcessGroup::Agreed agreed = group.begin(
      rank_,
      {.call = "barrier", .operation = "BARRIER", .shape = "[]", .dtype = "none", .details = site.details()},
      at);
  const PeCoord pe{site.device, 0, 0};
  const config::AlgorithmSpec queues = barrier_queues(session_);
  Setups setups;
  if (group.size() > 1) setups.push_back(setup_of(site, queues, pe));
  const BarrierArgs args{.rank = *group.rank_of(rank_), .ranks = group.size()};
  const auto kernel = std::make_shared<const KernelCall>(kernels().at("dissemination_barrier").bind(args));
  auto job = std::make_shared<hw::ControlJob>();
  job->targets.push_back(
      {.pe = pe,
       .action = hw::Launch{.kernel = kernel, .queues = site.set_name(queues.name), .round = agreed.round},
       .size = {}});
  const Done work =
      works_.start({.call = "barrier", .sequence = agreed.sequence, .rank = rank_, .group = group.number()},
                   run_messages({site.group, {}}, {}, launch(std::move(job), std::move(setups), {})), at);
  if (ICallWatch* const calls = session_.calls())
    calls->carries(work.key(), {.kind = CallFacts::Kind::barrier, .group = group.number()});
  return work;
}

}  // namespace kbsim::host
