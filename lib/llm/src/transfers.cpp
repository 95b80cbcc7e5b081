#include "transfers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kbsim/llm/llm_run.hpp"

namespace kbsim::inference {
namespace {

// Queues of collectives are set up at their first use: a group has none of its own.
constexpr const char* kNoQueues = "group_of_a_model";

Task<host::Group> made(host::Rank& main, std::vector<int> ranks) {
  if (ranks.size() == 1) co_return host::Group{};
  const host::Group group =
      co_await main.dist.new_group(std::move(ranks), host::GroupOptions{.algorithms = {kNoQueues}});
  co_return group;
}

std::vector<int> layer_ranks(const Division& division, RankPlace at) {
  std::vector<int> ranks;
  for (at.tp = 0; at.tp < division.tp; ++at.tp) ranks.push_back(division.rank_of(at));
  return ranks;
}

std::vector<int> stage_ranks(const Division& division, RankPlace at) {
  std::vector<int> ranks;
  for (at.pp = 0; at.pp < division.pp; ++at.pp) ranks.push_back(division.rank_of(at));
  return ranks;
}

}  // namespace

Transfers::Done Transfers::begin(const Transfer& transfer) const {
  using enum Transfer::Kind;
  host::Distributed& dist = rank_.dist;
  switch (transfer.kind) {
    case all_reduce:
      return dist.all_reduce(transfer.from, {.op = host::ReduceOp::sum, .group = groups_.layer});
    case reduce_scatter:
      return dist.reduce_scatter_tensor(transfer.to, transfer.from,
                                        {.op = host::ReduceOp::sum, .group = groups_.layer});
    case all_gather: return dist.all_gather_into_tensor(transfer.to, transfer.from, {.group = groups_.layer});
    case send: return dist.isend(transfer.from, neighbour(1), groups_.stages);
    case receive: break;
  }
  return dist.irecv(transfer.from, neighbour(-1), groups_.stages);
}

int Transfers::neighbour(int stages) const {
  RankPlace at = share_.at;
  at.pp += stages;
  return share_.division.rank_of(at);
}

hw::Activity Transfers::ended(Transfer::Kind kind) {
  const bool message = kind == Transfer::Kind::send || kind == Transfer::Kind::receive;
  return message ? ended_message() : ended_collective();
}

hw::Activity Transfers::ended_collective() {
  const std::vector<host::CollectiveTiming>& all = rank_.session().collectives();
  while (all.at(collectives_).rank != rank_.index) ++collectives_;
  const host::CollectiveTiming& own = all.at(collectives_++);
  return {.first_start = own.first_start,
          .last_end = own.last_end,
          .work = {.read = own.read},
          .order = own.order,
          .why = own.why};
}

hw::Activity Transfers::ended_message() {
  const std::vector<host::MessageTiming>& all = rank_.session().messages();
  while (all.at(messages_).rank != rank_.index) ++messages_;
  return all.at(messages_++).activity;
}

Task<std::vector<RankGroups>> make_groups(host::Rank& main, Division division) {
  std::vector<RankGroups> groups(static_cast<std::size_t>(division.ranks()));
  for (int rank = 0; rank < division.ranks(); ++rank) {
    const RankPlace at = division.place_of(rank);
    if (at.tp == 0) {
      const std::vector<int> ranks = layer_ranks(division, at);
      const host::Group group = co_await made(main, ranks);
      for (const int member : ranks) groups[static_cast<std::size_t>(member)].layer = group;
    }
    if (at.pp == 0) {
      const std::vector<int> ranks = stage_ranks(division, at);
      const host::Group group = co_await made(main, ranks);
      for (const int member : ranks) groups[static_cast<std::size_t>(member)].stages = group;
    }
  }
  co_return groups;
}

config::CclSpec collectives_of(config::CclSpec declared, const std::string& all_reduce) {
  std::erase_if(declared.algorithms, [&](const auto& one) {
    return !all_reduce.empty() && one.second.collective == config::Collective::all_reduce &&
           one.first != all_reduce;
  });
  config::AlgorithmSpec none;
  static_cast<config::CclSettings&>(none) = declared.defaults;
  none.name = kNoQueues;
  none.kernel = "p2p";
  none.collective = config::Collective::sendrecv;
  none.topology = "none";
  none.n_elem = 1;
  declared.algorithms[kNoQueues] = none;
  return declared;
}

}  // namespace kbsim::inference
