// The program of a rank of a Chakra workload.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/tl/p2p_args.hpp"

#include "chakra_memory.hpp"
#include "chakra_run.hpp"

namespace kbsim::app {
namespace {

using host::Group;
using host::Tensor;
using inputs::chakra::Communication;
using inputs::chakra::CommunicationKind;

const topology::DPPolicy kPeZero{.num_cubes = 1, .num_pes = 1};

Task<Tensor> vector_of(host::Rank& rk, std::int64_t elements) {
  const host::TensorOptions options{.dp = kPeZero, .name = "chakra", .resident = true};
  co_return co_await rk.torch.zeros({1, elements}, f16, options);
}

// The default group is all ranks. A group without messages isn't set up.
Task<std::vector<Group>> groups_of(host::Rank& rk, const inputs::chakra::Workload& work) {
  std::vector<Group> groups(work.groups.size());
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const std::vector<int>& ranks = work.groups[i];
    if (ranks.size() < 2 || ranks == work.groups.front()) continue;
    groups[i] = co_await rk.dist.new_group(ranks);
  }
  co_return groups;
}

// Holds its arguments until the work has ended, then reports these communications.
Task<> watch(host::Distributed::Done work, ChakraRun* run, int rank, std::vector<std::uint32_t> which) {
  co_await work;
  for (const std::uint32_t communication : which) run->ended(rank, communication);
}

/// Begins the communications of one rank.
class Beginner {
 public:
  Beginner(host::Rank& rk, ChakraShared& shared, std::vector<Group> groups)
      : rk_{rk}, shared_{shared}, groups_{std::move(groups)} {}

  Task<> begin_all(std::deque<std::uint32_t> due) {
    std::vector<std::uint32_t> messages;
    for (const std::uint32_t which : due) {
      if (at(which).kind == CommunicationKind::message)
        messages.push_back(which);
      else
        co_await begin(which);
    }
    constexpr std::size_t kAtOnce = P2pArgs::kMost;
    for (std::size_t first = 0; first < messages.size(); first += kAtOnce) {
      const std::size_t last = std::min(first + kAtOnce, messages.size());
      co_await begin_messages({messages.begin() + static_cast<std::ptrdiff_t>(first),
                               messages.begin() + static_cast<std::ptrdiff_t>(last)});
    }
  }

 private:
  [[nodiscard]] const Communication& at(std::uint32_t which) const {
    return shared_.run->work().communications[which];
  }

  void follow(const host::Distributed::Done& work, std::vector<std::uint32_t> which) {
    for (const std::uint32_t communication : which) shared_.run->made(rk_.index, communication);
    (void)rk_.session().sim().spawn(fmt::format("communication {} of rank {}", which.front(), rk_.index),
                                    watch(work, shared_.run, rk_.index, std::move(which)));
  }

  Task<> begin(std::uint32_t which) {
    const Communication& what = at(which);
    if (what.kind == CommunicationKind::barrier) {
      follow(rk_.dist.barrier(groups_[what.group]), {which});
    } else if (what.kind == CommunicationKind::collective) {
      co_await begin_collective(which);
    } else {
      co_await begin_parts(which);
    }
  }

  Task<> begin_collective(std::uint32_t which) {
    const Communication& what = at(which);
    const ccl::CollectiveEntry& row = ccl::collective(what.collective);
    const auto ranks = static_cast<int>(what.ranks.size());
    const std::int64_t elements = elements_of(what.bytes, row.shares_in(ranks));
    const Tensor input = co_await vector_of(rk_, elements);
    std::optional<Tensor> output;
    if (!row.in_place) output = co_await vector_of(rk_, row.out_elems(elements, ranks));
    follow(rk_.dist.collective(what.collective, {.input = input,
                                                 .output = output,
                                                 .root = what.root,
                                                 .algorithm = shared_.algorithms.at(what.collective),
                                                 .group = groups_[what.group]}),
           {which});
  }

  // A gather or a scatter: the root has one part per rank.
  Task<> begin_parts(std::uint32_t which) {
    const Communication& what = at(which);
    const std::int64_t elements = elements_of(what.bytes, 1);
    const Tensor own = co_await vector_of(rk_, elements);
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i < what.ranks.size() && rk_.index == what.root; ++i) {
      const Tensor part = co_await vector_of(rk_, elements);
      parts.push_back(part);
    }
    const Group& group = groups_[what.group];
    follow(what.kind == CommunicationKind::gather ? rk_.dist.gather(own, std::move(parts), what.root, group)
                                                  : rk_.dist.scatter(own, std::move(parts), what.root, group),
           {which});
  }

  Task<> begin_messages(std::vector<std::uint32_t> which) {
    std::vector<host::P2POp> ops;
    for (const std::uint32_t message : which) {
      const Communication& what = at(message);
      const bool sends = what.ranks.front() == rk_.index;
      const Tensor tensor = co_await vector_of(rk_, elements_of(what.bytes, 1));
      ops.push_back({.kind = sends ? host::P2POp::Kind::isend : host::P2POp::Kind::irecv,
                     .tensor = tensor,
                     .peer = sends ? what.ranks.back() : what.ranks.front()});
    }
    follow(rk_.dist.batch_isend_irecv(std::move(ops)), std::move(which));
  }

  host::Rank& rk_;
  ChakraShared& shared_;
  std::vector<Group> groups_;
};

}  // namespace

Task<> chakra_rank(host::Rank& rk, ChakraShared* shared) {
  ChakraRun& run = *shared->run;
  std::vector<Group> groups = co_await groups_of(rk, run.work());
  Beginner beginner{rk, *shared, std::move(groups)};
  if (++shared->there == run.work().ranks) run.begin();
  while (!run.done()) {
    co_await run.wake(rk.index).wait();
    std::deque<std::uint32_t> due = run.take(rk.index);
    co_await beginner.begin_all(std::move(due));
  }
}

}  // namespace kbsim::app
