// Choice of an algorithm for a call whose tensors fit no installed one.
#include <algorithm>
#include <ranges>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/enumerate.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/ccl/tuner.hpp"
#include "kbsim/host/launch_args.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/tl/kernel.hpp"

#include "collective_call.hpp"
#include "group_plans.hpp"

namespace kbsim::host {
namespace {

namespace views = ranges::views;

std::int64_t elements_of(const Shard& shard) { return shard.spec.block.elements(); }

bool one_shard_a_pe(const Tensor& tensor) {
  std::set<PeCoord> pes;
  for (const Shard& shard : tensor.shards()) {
    if (!pes.insert(shard.spec.at).second) return false;
  }
  return !pes.empty();
}

Bytes bytes_of(const Tensor& tensor) {
  Bytes all;
  for (const Shard& shard : tensor.shards()) all += shard.spec.nbytes;
  return all;
}

std::string describe(const ccl::Candidate& candidate) {
  return fmt::format("{} {}", candidate.algorithm.name,
                     candidate.estimate ? to_string(*candidate.estimate) : "(no estimate)");
}

Ptr start_of(const Tensor& tensor, const Shard& shard) { return tensor.ptr().bytes(shard.spec.offset_bytes); }

}  // namespace

bool on_same_pes(const Tensor& a, const Tensor& b, Tensor::Here at) {
  const auto pe = [](const Shard& shard) { return shard.spec.at; };
  return std::ranges::equal(a.shards(at), b.shards(at), {}, pe, pe);
}

std::string places_of(const Tensor& tensor, Tensor::Here at) {
  const auto place = [](const Shard& shard) {
    const topology::ShardSpec& spec = shard.spec;
    return fmt::format("cube{}.pe{} {}", spec.at.cube, spec.at.pe, to_string(spec.nbytes));
  };
  return fmt::format("{}", fmt::join(tensor.shards(at) | std::views::transform(place), ", "));
}

bool Distributed::fits_anywhere(const Call& call) const {
  const int ranks = call.site.group->size();
  if (call.input.sip() != call.site.device || !one_shard_a_pe(call.input)) return false;
  if (call.row.in_place == call.output.has_value()) return false;
  const std::int64_t shares = call.row.shares_in(ranks);
  const auto divides = [&](const Shard& shard) { return elements_of(shard) % shares == 0; };
  if (!std::ranges::all_of(call.input.shards(), divides)) return false;
  if (!call.output) return true;
  if (call.output->sip() != call.site.device || !on_same_pes(call.input, *call.output, call.at)) return false;
  return std::ranges::equal(call.input.shards(), call.output->shards(),
                            [&](const Shard& in, const Shard& out) {
                              return elements_of(out) == call.row.out_elems(elements_of(in), ranks);
                            });
}

const InstalledAlgorithm* Distributed::chosen(const Call& call) const {
  if (!fits_anywhere(call)) return nullptr;
  ProcessGroup& group = *call.site.group;
  auto found = ccl::candidates(session_.ccl(), group.machine(), call.which, bytes_of(call.input));
  if (!call.algorithm.empty())
    std::erase_if(found, [&](const ccl::Candidate& one) { return one.algorithm.name != call.algorithm; });
  if (found.empty()) return nullptr;
  const config::AlgorithmSpec& spec = found.front().algorithm;
  const auto [one, fresh] = group.chosen.try_emplace(call.site.queues(spec.name));
  if (fresh) {
    require_known(spec);
    one->second = {.spec = spec, .queues = call.site.set_name("auto." + spec.name), .participants = {}};
  }
  if (session_.choices() != nullptr && group.rank_of(rank_) == 0) print_choice(call, found);
  return &one->second;
}

void Distributed::print_choice(const Call& call, const std::vector<ccl::Candidate>& candidates) const {
  std::string line =
      fmt::format("CCL INFO {} of '{}', {} a rank on {}, {}: {}", call.row.call, call.input.name(),
                  to_string(bytes_of(call.input)), counted(call.input.shards().size(), "PE"),
                  counted(call.site.group->size(), "rank"), describe(candidates.front()));
  for (const ccl::Candidate& other : candidates | std::views::drop(1)) line += ", " + describe(other);
  say_to(session_.choices(), line + "\n");
}

Distributed::Setups Distributed::setups_of(const Call& call) {
  Setups setups;
  if (!call.anywhere || call.site.group->size() == 1) return setups;
  config::AlgorithmSpec queues = call.by->spec;
  queues.name = "auto." + queues.name;
  for (const Shard& shard : call.input.shards()) setups.push_back(setup_of(call.site, queues, shard.spec.at));
  return setups;
}

// Rings that are still being set up count as taken.
Bytes Distributed::tcm_for(const Call& call, const Setups& setups) const {
  if (!call.anywhere) return tcm_left(session_, call.by->participants);
  std::vector<PeCoord> pes;
  for (const auto& [device, shard] : views::cartesian_product(call.site.devices, call.input.shards()))
    pes.push_back({device, shard.spec.at.cube, shard.spec.at.pe});
  const bool ready = std::ranges::all_of(setups, [](const auto& setup) { return setup->done.is_set(); });
  const Bytes left = tcm_left(session_, pes);
  return ready ? left : left - ccl::rings_in_tcm(call.by->spec, call.site.group->machine());
}

// One launch per PE, each with its own part.
Distributed::Job Distributed::job_anywhere(const Call& call, const ProcessGroup::Agreed& agreed) const {
  const ProcessGroup& group = *call.site.group;
  auto job = std::make_shared<hw::ControlJob>();
  for (const auto& [i, shard] : views::enumerate(call.input.shards())) {
    CollectiveArgs args = args_of(call, agreed.tcm);
    args.data = start_of(call.input, shard);
    args.n_elem = elements_of(shard);
    args.pes = 1;
    if (call.output) args.out = start_of(*call.output, call.output->shards()[i]);
    const auto kernel = std::make_shared<const KernelCall>(kernels().at(call.by->spec.kernel).bind(args));
    job->targets.push_back(
        {.pe = shard.spec.at,
         .action = hw::Launch{.kernel = kernel,
                              .queues = call.by->queues,
                              .round = agreed.round,
                              .programs = ProgramPlace{.id = {0, 0, group.rank_of(rank_).value_or(0)},
                                                       .count = {1, 1, group.size()}}},
         .size = {}});
  }
  return job;
}

}  // namespace kbsim::host
