#include "exchange.hpp"

#include <map>

#include <fmt/format.h>
#include <range/v3/view/enumerate.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/tl/kernel.hpp"

#include "collective_call.hpp"

namespace kbsim::host {
namespace {

using BoxesOfPes = std::map<PeCoord, BoxArgs>;

// The box of the tensor on the PE that has this shard.
Box box_on(const TensorBox& of, const Shard& shard) {
  const Ptr data = of.tensor.ptr();
  if (of.part) {
    return {.data = data + of.part->first,
            .rows = of.part->rows,
            .cols = of.part->cols,
            .stride = of.part->stride};
  }
  const std::int64_t n = shard.spec.nbytes.count() / itemsize(of.tensor.dtype());
  return {.data = data.bytes(shard.spec.offset_bytes), .rows = 1, .cols = n, .stride = n};
}

void add_moves(BoxesOfPes& of_pes, const TensorMove& move, const ProcessGroup& group,
               const PairCheck& check) {
  const Tensor& first = move.from ? move.from->tensor : move.to->tensor;
  for (const auto& [i, shard] : ranges::views::enumerate(first.shards())) {
    const PeCoord pe = shard.spec.at;
    BoxArgs& args = of_pes[pe];
    check.require(args.count < BoxArgs::kMost, fmt::format("more than {} shards to send and receive on {}",
                                                           BoxArgs::kMost, to_string(pe)));
    args.moves[static_cast<std::size_t>(args.count++)] = {
        .kind = move.kind,
        .peer = *group.rank_of(move.peer),
        .from = move.from ? box_on(*move.from, move.from->tensor.shards()[i]) : Box{},
        .to = move.to ? box_on(*move.to, move.to->tensor.shards()[i]) : Box{}};
  }
}

BoxesOfPes boxes_of_pes(const Exchange& exchange, const ProcessGroup& group, Bytes slot_size,
                        const PairCheck& check) {
  BoxesOfPes of_pes;
  for (const TensorMove& move : exchange.moves) {
    if (move.from) check.tensor(move.from->tensor, slot_size);
    if (move.to) check.tensor(move.to->tensor, slot_size);
    add_moves(of_pes, move, group, check);
  }
  for (auto& [pe, args] : of_pes) {
    args.slot_bytes = slot_size.count();
    args.combines = exchange.op.has_value();
    args.op = exchange.op.value_or(ReduceOp::sum);
    args.ranks = group.size();
  }
  return of_pes;
}

std::shared_ptr<const hw::ControlJob> exchange_job(const BoxesOfPes& of_pes, const std::string& queues,
                                                   std::uint64_t round) {
  auto job = std::make_shared<hw::ControlJob>();
  for (const auto& [pe, args] : of_pes) {
    const auto kernel = std::make_shared<const KernelCall>(kernels().at("exchange_boxes").bind(args));
    job->targets.push_back(
        {.pe = pe, .action = hw::Launch{.kernel = kernel, .queues = queues, .round = round}, .size = {}});
  }
  return job;
}

std::vector<Tensor> tensors_of_moves(const std::vector<TensorMove>& moves) {
  std::vector<Tensor> tensors;
  for (const TensorMove& move : moves) {
    if (move.from) tensors.push_back(move.from->tensor);
    if (move.to) tensors.push_back(move.to->tensor);
  }
  return tensors;
}

std::vector<Tensor::Update> updates_of_moves(const std::vector<TensorMove>& moves) {
  std::vector<Tensor::Update> updates;
  for (const TensorMove& move : moves) {
    if (move.to) updates.emplace_back(move.to->tensor);
  }
  return updates;
}

}  // namespace

void PairCheck::require(bool holds, const std::string& why) const {
  if (!holds) throw UsageError{call + ": " + why};
}

void PairCheck::peer(int peer, bool sends, const ProcessGroup& group) const {
  require(peer != rank, fmt::format("Invalid {0} rank: {0} rank should not be the same as the rank of the "
                                    "current process.",
                                    sends ? "destination" : "source"));
  require(group.rank_of(peer).has_value(), fmt::format("Global rank {} is not part of group", peer));
}

void PairCheck::tensor(const Tensor& tensor, Bytes slot_size) const {
  require(tensor.sip() == device, fmt::format("'{}' is on device {}, but rank {} is device {}", tensor.name(),
                                              tensor.sip(), rank, device));
  require(!tensor.shards(at).empty(), fmt::format("'{}' has no elements", tensor.name()));
  require(slot_size >= Bytes{itemsize(tensor.dtype())},
          fmt::format("an element of {} does not fit a slot of {}; raise slot_size (ccl.defaults.slot_size, "
                      "or the algorithm's)",
                      to_string(tensor.dtype()), to_string(slot_size)));
}

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

// A rank without boxes is done after the check that all calls match.
Distributed::Done Distributed::exchange(Exchange exchange) {
  const Site site = site_of(exchange.group, exchange.call, exchange.at);
  const config::AlgorithmSpec queues = queues_named(session_, "pairs", "all_pairs");
  const PairCheck check{.call = fmt::format("{}: {}", to_string(to_place(exchange.at)), exchange.call),
                        .rank = rank_,
                        .device = site.device,
                        .at = exchange.at};
  const BoxesOfPes of_pes = boxes_of_pes(exchange, *site.group, queues.slot_size, check);
  const ProcessGroup::Agreed agreed = site.group->begin(rank_,
                                                        {.call = exchange.call,
                                                         .operation = exchange.operation,
                                                         .shape = exchange.shape,
                                                         .dtype = std::string{to_string(exchange.dtype)},
                                                         .details = exchange.details + site.details()},
                                                        exchange.at);
  for (P2pCall& call : exchange.paired) {
    call.exchange = agreed.sequence + 1;
    site.group->post(call);
  }
  const WorkId id{
      .call = exchange.call, .sequence = agreed.sequence, .rank = rank_, .group = site.group->number()};
  if (of_pes.empty()) return works_.done(id, std::monostate{}, exchange.at);
  Setups setups;
  if (site.group->size() > 1) {
    for (const auto& [pe, args] : of_pes) setups.push_back(setup_of(site, queues, pe));
  }
  InUse in_use{site.group, tensors_of_moves(exchange.moves)};
  const CollectiveTiming called{.rank = rank_, .called = session_.sim().now(), .algorithm = "exchange_boxes"};
  Task<hw::Activity> launched = launch(exchange_job(of_pes, site.set_name(queues.name), agreed.round),
                                       std::move(setups), tensors_of_moves(exchange.moves));
  return works_.start(
      id, run(std::move(in_use), updates_of_moves(exchange.moves), std::move(launched), called), exchange.at);
}

}  // namespace kbsim::host
