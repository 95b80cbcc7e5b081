#include "kbsim/host/rank.hpp"

#include <algorithm>
#include <new>
#include <optional>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/base/thrown.hpp"
#include "kbsim/base/watched.hpp"
#include "kbsim/tl/kernel.hpp"

#include "control_jobs.hpp"
#include "group_plans.hpp"
#include "on_order.hpp"

namespace kbsim::host {
namespace {

void require_launchable(const std::string& kernel, const std::vector<Tensor>& tensors) {
  if (tensors.empty())
    throw UsageError{fmt::format(
        "launch of {} without a tensor: it runs on the PEs that own shards of its first", kernel)};
  const Tensor& first = tensors.front();
  for (const Tensor& tensor : tensors) {
    if (tensor.sip() == first.sip()) continue;
    throw UsageError{fmt::format("launch of {}: '{}' is on device {}, but '{}' on device {}", kernel,
                                 first.name(), first.sip(), tensor.name(), tensor.sip())};
  }
}

// The kernel's call. UsageError with the line of the launch.
KernelCall call_of(const std::string& kernel, const std::any& args, const std::source_location& at) {
  try {
    KernelCall call = kernels().at(kernel).bind(args);
    if (!call.start) throw UsageError{fmt::format("kernel '{}' has no function to start", kernel)};
    call.at = at;
    return call;
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("{}: launch: {}", to_string(to_place(at)), error.what())};
  }
}

void require_owner(const std::string& kernel, const Tensor& on, const std::vector<PeCoord>& pes,
                   const LaunchOptions& options) {
  if (!options.target_pe) return;
  if (std::ranges::find(pes, *options.target_pe, &PeCoord::pe) != pes.end()) return;
  throw UsageError{fmt::format("launch of {}: '{}' has no shard on PE {} of a cube (target_pe)", kernel,
                               on.name(), *options.target_pe)};
}

// The Updates live as long as this runs.
Task<hw::Activity> reported(std::optional<InUse> in_group, OnOrder tensors, std::vector<Tensor::Update>,
                            Task<hw::Activity> order) {
  const hw::Activity activity = co_await std::move(order);
  if (in_group) in_group->ended();
  tensors.ended();
  co_return activity;
}

}  // namespace

Rank::Rank(Session& session, World& world, int rank_index)
    : session_{session},
      world_{world},
      works_{std::make_shared<Works>(session.sim(), session.orders(), session.machine().fabric())},
      index{rank_index},
      ahbm{session, world, rank_index},
      accelerator{ahbm},
      torch{session, works_, rank_index, ahbm.device()},
      dist{session, world, *works_, rank_index},
      mp{session, world} {
  works_->watch(session.calls());
  session_.enter(*this);
}

Rank::~Rank() {
  works_->cancel();
  session_.leave(*this);
}

Task<> Multiprocessing::spawn(Task<> (*fn)(Rank&), SpawnOptions options, Here at) {
  require_function(fn != nullptr, "mp.spawn", at);
  Ranks ranks{session_, world_, options.nprocs, at};
  for (int i = 0; i < ranks.count(); ++i) ranks.start(i, fn(ranks.rank(i)));
  co_await ranks.join();
}

Task<> Rank::run(Task<> program) {
  try {
    co_await run_bare(std::move(program));
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {  // the host's memory is exhausted: not the program's error
    throw;
  } catch (...) {
    throw KernelFault{thrown_text()};
  }
}

Task<> Rank::run_bare(Task<> program) {
  const WatchedProgram watched{"the host program of " + session_.sim().running().name(),
                               session_.sim().running().id()};
  hw::ISpans* const spans = session_.machine().fabric().spans();
  if (spans != nullptr)
    spans->open(
        this,
        {.kind = hw::SpanKind::program, .rank = index, .what = "program", .start = session_.sim().now()});
  co_await std::move(program);
  if (spans != nullptr) spans->close(this, session_.sim().now());
  works_->require_awaited();
}

Work<hw::Activity> Rank::launch(std::string kernel, std::vector<Tensor> tensors, std::any args,
                                LaunchOptions options, Here at) {
  KernelCall call = call_of(kernel, args, at);
  at_line(at, [&] { require_launchable(kernel, tensors); });
  const std::vector<PeCoord> pes = owners(tensors.front(), at);
  at_line(at, [&] { require_owner(kernel, tensors.front(), pes, options); });
  const std::string queues = world_.initialized() ? world_.algorithms().front().spec.name : "";
  const auto job = options.target_pe
                       ? launch_job_on(*options.target_pe, pes, std::move(call), {.queues = queues})
                       : launch_job(pes, std::move(call), {.queues = queues});
  Task<hw::Activity> order = dist.launch(job, {}, tensors);
  std::vector<Tensor::Update> writing;
  for (const Tensor& tensor : tensors) writing.emplace_back(tensor);
  std::optional<InUse> in_group;
  if (world_.initialized()) in_group.emplace(world_.all(), std::exchange(tensors, {}), InUse::By::kernel);
  OnOrder on_order{session_, {job}, std::move(tensors)};
  const Work<hw::Activity> work = works_->start(
      session_.next_work("launch", index),
      reported(std::move(in_group), std::move(on_order), std::move(writing), std::move(order)), at);
  if (ICallWatch* const calls = session_.calls()) calls->carries(work.key(), {});
  return work;
}

Task<std::vector<ccl::InstallPlan>> Rank::install_ipcq(std::string algorithm, int world_size, Here at) {
  const auto plans = at_line(at, [&] {
    config::AlgorithmSpec queues = session_.algorithm(algorithm);
    if (world_size != 0) queues.world_size = world_size;
    require_known(queues);
    auto made = ccl::build_install_plans(queues, session_.spec(), session_.allocators());
    ccl::require_disjoint(made);
    return made;
  });
  co_await install_queues(session_, index, plans, false);
  co_return plans;
}

}  // namespace kbsim::host
