// The programs of a probe: a host program, and the kernels that it launches.
#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/sim/when_all.hpp"
#include "kbsim/tl/kernel.hpp"

#include "control_jobs.hpp"
#include "host_access.hpp"
#include "probe_plan.hpp"

namespace kbsim::host {
namespace {

struct LoadArgs {
  Ptr from;
  std::int64_t bytes;
  ProbeFlow* flows;  // by PE
};

Task<> probe_load(TL& tl, LoadArgs args) {
  const Tile tile = co_await tl.load(args.from, {args.bytes}, DType::u8);
  args.flows[tl.program_id(0)].end = tl.clock();
}

struct StreamArgs {
  Dir direction;
  std::int64_t bytes;
  std::int64_t slot;
  ProbeFlow* flows;  // by PE
};

// All chunks are sent at once; the queue's slots limit them.
Task<> probe_send(TL& tl, StreamArgs args) {
  const Tile whole = tl.zeros({std::min(args.bytes, args.slot)}, DType::u8);
  std::vector<Pending<void>> sent;
  for (std::int64_t left = args.bytes; left > 0; left -= args.slot) {
    const Tile chunk = left >= args.slot ? whole : tl.zeros({left}, DType::u8);
    sent.push_back(tl.send({.dir = args.direction, .src = chunk}));
    args.flows[tl.program_id(0)].issued.push_back(tl.clock());
  }
  for (Pending<void>& each : sent) co_await each;
}

Task<> probe_receive(TL& tl, StreamArgs args) {
  for (std::int64_t left = args.bytes; left > 0; left -= args.slot) {
    const Tile tile =
        co_await tl.recv({.dir = args.direction, .shape = {std::min(left, args.slot)}, .dtype = DType::u8});
  }
  args.flows[tl.program_id(0)].end = tl.clock();
}

Task<> time_host(Session& session, Transfer transfer, topology::PhysRange at, ProbeFlow* flow) {
  flow->start = session.sim().now();
  if (transfer == Transfer::host_write) {
    co_await write_memory(session.machine(), 0, at, oplog::Slice{{}, 0, at.bytes.count()}, nullptr);
  } else {
    const oplog::Slices contents = co_await read_memory(session.machine(), 0, at);
  }
  flow->end = session.sim().now();
}

Task<> run_host(Session& session, ProbePlan plan, std::vector<ProbeFlow>* flows) {
  std::vector<Task<>> transfers;
  for (std::size_t i = 0; i < plan.ends.size(); ++i) {
    const topology::PhysRange at{.pa = plan.ends[i].memory, .bytes = plan.bytes};
    transfers.push_back(time_host(session, plan.definition->transfer, at, &(*flows)[i]));
  }
  co_await when_all(std::move(transfers));
}

Task<> run_loads(Session& session, ProbePlan plan, std::vector<ProbeFlow>* flows) {
  auto maps = std::make_shared<hw::ControlJob>();
  std::vector<PeCoord> pes;
  const LoadArgs args{.from = {.va = topology::kVirtualBase, .dtype = DType::u8},
                      .bytes = plan.bytes.count(),
                      .flows = flows->data()};
  for (const Ends& ends : plan.ends) {
    maps->targets.push_back({.pe = ends.pe,
                             .action = hw::MapPages{.mappings = {{args.from.va, ends.memory, plan.bytes}}},
                             .size = {}});
    pes.push_back(ends.pe);
  }
  co_await hw::host_of(session.machine()).order(0, 0, maps);
  const auto launch = launch_job(pes, bind_kernel("probe_load", probe_load, args));
  co_await hw::host_of(session.machine()).order(0, 0, launch);
}

Task<> give_order(Session& session, int sip, std::shared_ptr<const hw::ControlJob> job) {
  co_await hw::host_of(session.machine()).order(sip, sip, job);
}

Task<> run_sends(Session& session, ProbePlan plan, std::vector<ProbeFlow>* flows) {
  std::vector<Task<>> installs;
  for (const ccl::InstallPlan& queues :
       ccl::build_install_plans(session.algorithm(), session.spec(), session.allocators())) {
    installs.push_back(give_order(session, queues.sip, install_job({queues})));
  }
  co_await when_all(std::move(installs));
  const Ends& first = plan.ends.front();
  const std::string back = ccl::opposite(first.direction);  // none in a tree: any direction
  StreamArgs args{.direction = Dir{first.direction},
                  .bytes = plan.bytes.count(),
                  .slot = session.algorithm().slot_size.count(),
                  .flows = flows->data()};
  std::vector<PeCoord> senders;
  std::vector<PeCoord> receivers;
  for (const Ends& ends : plan.ends) {
    senders.push_back(ends.pe);
    receivers.push_back(ends.peer);
  }
  std::vector<Task<>> launches;
  KernelCall send = bind_kernel("probe_send", probe_send, args);
  args.direction = Dir{back};
  KernelCall receive = bind_kernel("probe_receive", probe_receive, args);
  launches.push_back(give_order(session, first.pe.sip, launch_job(senders, std::move(send))));
  launches.push_back(give_order(session, first.peer.sip, launch_job(receivers, std::move(receive))));
  co_await when_all(std::move(launches));
}

}  // namespace

Task<> run_probe(Session& session, ProbePlan plan, std::vector<ProbeFlow>* flows) {
  session.machine().fabric().trace_messages();
  switch (plan.definition->transfer) {
    case Transfer::host_write:
    case Transfer::host_read: return run_host(session, std::move(plan), flows);
    case Transfer::load: return run_loads(session, std::move(plan), flows);
    case Transfer::send: return run_sends(session, std::move(plan), flows);
  }
  throw InternalError{"a probe that transfers nothing"};
}

}  // namespace kbsim::host
