#include "kbsim/host/process_group.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/ranks.hpp"

namespace kbsim::host {
namespace {

std::string described(const P2pCall& call) {
  return fmt::format("rank {} {} {} {} {} rank {} at {}", call.sends ? call.from : call.to,
                     call.sends ? "sends" : "receives", call.shape, call.dtype, call.sends ? "to" : "from",
                     call.sends ? call.to : call.from, to_string(to_place(call.at)));
}

void require_alike(const P2pCall& a, const P2pCall& b) {
  const bool alike = a.shape == b.shape && a.dtype == b.dtype;
  if (alike && a.parts == b.parts && a.devices == b.devices) return;
  throw KernelFault{fmt::format("Detected mismatch between send and recv: {}, but {}{}", described(a),
                                described(b),
                                !alike                   ? ""
                                : a.devices == b.devices ? ": their shards are on other PEs"
                                                         : ": a rank chose another device in between")};
}

std::string left_alone(const WorkId& work, const std::source_location& at, int gone) {
  return fmt::format("{}: {} can't end: the program of rank {} has ended without it", to_string(to_place(at)),
                     work.text(), gone);
}

}  // namespace

ProcessGroup::ProcessGroup(int number, std::vector<int> members, config::MachineSpec machine, int pes)
    : number_{number}, members_{std::move(members)}, machine_{std::move(machine)}, pes_{pes} {}

config::MachineSpec ProcessGroup::machine_of_ranks() const {
  return ranks_are_pes() ? ccl::machine_of_ranks(machine_, pes_) : machine_;
}

int ProcessGroup::rank_at(PeCoord pe) const {
  const int member = *rank_of(pe.sip);
  if (!ranks_are_pes()) return member;
  return (member * machine_.cubes_per_sip() + pe.cube) * machine_.pes_per_cube() + pe.pe;
}

std::optional<int> ProcessGroup::rank_of(int world_rank) const {
  const auto found = std::ranges::find(members_, world_rank);
  if (found == members_.end()) return std::nullopt;
  return static_cast<int>(found - members_.begin());
}

ProcessGroup::Agreed ProcessGroup::begin(int rank, const Fingerprint& what, const std::source_location& at,
                                         const std::function<Bytes()>& tcm) {
  std::uint64_t& next = sequences_[rank];
  auto first = calls_.find(next);
  if (first == calls_.end())
    first = calls_.emplace(next, Call{.what = what, .tcm = tcm(), .callers = {}}).first;
  Call& call = first->second;
  call.callers.push_back({.rank = rank, .at = at});
  const std::uint64_t sequence = next++;
  for (const int other : gone_) {
    if (other != rank && rank_of(other) && sequences_[other] <= sequence)
      throw KernelFault{left_alone({what.call, sequence, rank, number_}, at, other)};
  }
  if (call.what == what) {
    const Agreed agreed{.sequence = sequence, .round = first_round_ + sequence, .tcm = call.tcm};
    if (std::cmp_equal(call.callers.size(), size())) calls_.erase(first);
    return agreed;
  }
  const auto print = [&](const Caller& by, const Fingerprint& made) {
    return fmt::format(
        "Rank {} is running collective: CollectiveFingerPrint(SequenceNumber={}, OpType={}, TensorShape={}, "
        "TensorDtypes={}, Options={}) at {}",
        by.rank, sequence, made.operation, made.shape, made.dtype, made.details, to_string(to_place(by.at)));
  };
  throw KernelFault{"Detected mismatch between collectives on ranks. " + print(call.callers.back(), what) +
                    ", but " + print(call.callers.front(), call.what)};
}

ProcessGroup::LeftAlone ProcessGroup::leave(int rank) {
  LeftAlone all;
  if (!rank_of(rank)) return all;
  gone_.insert(rank);
  for (const auto& [sequence, call] : calls_) {
    if (sequences_[rank] > sequence) continue;
    for (const int other : members_) {
      if (!gone_.contains(other) && sequences_[other] > sequence)
        all.emplace(other, left_alone({call.what.call, sequence, other, number_}, call.by(other).at, rank));
    }
  }
  return all;
}

// Round numbers go on, so that new launches differ from the abandoned ones.
bool ProcessGroup::abandon(bool launches_lost) {
  const auto waits = [](const auto& calls) { return !calls.second.empty(); };
  const bool one_sided = std::ranges::any_of(sends_, waits) || std::ranges::any_of(recvs_, waits);
  const bool midst = !calls_.empty() || one_sided || launches_lost;
  const bool stuck = (under_way_ > 0 && midst) || kernels_ > 0;
  under_way_ = kernels_ = 0;
  std::uint64_t rounds = 0;
  for (const auto& [rank, sequence] : sequences_) rounds = std::max(rounds, sequence);
  first_round_ += rounds;
  sequences_.clear();
  calls_.clear();
  sends_.clear();
  recvs_.clear();
  return stuck;
}

std::vector<PartialCollective> ProcessGroup::partial_collectives() const {
  std::vector<PartialCollective> partial;
  for (const auto& [sequence, call] : calls_) {
    PartialCollective& one = partial.emplace_back();
    for (const int rank : members_) {
      const auto next = sequences_.find(rank);
      if (next != sequences_.end() && next->second > sequence) {
        one.begun.push_back({.call = call.what.call, .sequence = sequence, .rank = rank, .group = number_});
      } else {
        one.missing.push_back(rank);
      }
    }
  }
  return partial;
}

void ProcessGroup::post(const P2pCall& call) {
  const Between between{call.exchange, call.from, call.to};
  std::deque<P2pCall>& others = (call.sends ? recvs_ : sends_)[between];
  if (others.empty()) return (call.sends ? sends_ : recvs_)[between].push_back(call);
  const P2pCall other = std::move(others.front());
  others.pop_front();
  require_alike(call, other);
}

void ProcessGroup::require_received() const {
  for (const auto& [between, calls] : sends_) {
    if (calls.empty()) continue;
    throw KernelFault{described(calls.front()) + ", and no rank has received it"};
  }
}

}  // namespace kbsim::host
