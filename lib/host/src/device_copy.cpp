#include "device_copy.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/sim/when_all.hpp"

#include "on_order.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

using topology::PhysRange;
using topology::PhysRanges;

// The elements of a view in a shard.
struct ShardElements {
  Shard shard;
  std::vector<Piece> pieces;  // in the view's order
};

std::vector<ShardElements> elements_by_shard(const Tensor& tensor) {
  std::vector<ShardElements> parts;
  for (const Shard& shard : tensor.state()->shards) {
    std::vector<Piece> pieces = tensor.elements().pieces(shard.spec);
    std::ranges::sort(pieces, {}, &Piece::in_view);
    if (!pieces.empty()) parts.push_back({shard, std::move(pieces)});
  }
  return parts;
}

// A move of one PE's DMA: bytes of `from`, in this order, to bytes of `to`.
struct DmaMove {
  PhysRanges from;
  PhysRanges to;

  void add(const PhysRange& source, const PhysRange& target) {
    append(from, source);
    append(to, target);
  }

 private:
  static void append(PhysRanges& all, const PhysRange& next) {
    if (!all.empty() && all.back().pa + all.back().bytes == next.pa) {
      all.back().bytes += next.bytes;
    } else {
      all.push_back(next);
    }
  }
};

// Copies the elements that `source` has of `missing`, and takes them from there.
void copy_from(const ShardElements& source, const ShardElements& target, std::int64_t itemsize,
               std::vector<Piece>& missing, DmaMove& move) {
  std::vector<Piece> left;
  auto candidate = source.pieces.begin();
  for (const Piece& piece : missing) {
    std::int64_t at = piece.in_view;
    const std::int64_t end = piece.in_view + piece.count;
    const auto rest = [&](std::int64_t until) {
      if (at < until)
        left.push_back({.in_shard = piece.in_shard + at - piece.in_view, .in_view = at, .count = until - at});
    };
    while (candidate != source.pieces.end() && candidate->in_view < end) {
      const std::int64_t begin = std::max(at, candidate->in_view);
      const std::int64_t until = std::min(end, candidate->in_view + candidate->count);
      if (begin < until) {
        rest(begin);
        const Bytes bytes{(until - begin) * itemsize};
        const Bytes in_source{(candidate->in_shard + begin - candidate->in_view) * itemsize};
        const Bytes in_target{(piece.in_shard + begin - piece.in_view) * itemsize};
        move.add({.pa = source.shard.pa + in_source, .bytes = bytes},
                 {.pa = target.shard.pa + in_target, .bytes = bytes});
        at = until;
      }
      if (candidate->in_view + candidate->count > end) break;
      ++candidate;
    }
    rest(end);
  }
  missing = std::move(left);
}

int hops(PeCoord a, PeCoord b) {
  if (a == b) return 0;
  return a.sip == b.sip && a.cube == b.cube ? 1 : 2;
}

// Ranges of one length and distance, the first of them two, are one entry of a message.
std::int64_t entries_of(const PhysRanges& ranges) {
  std::int64_t entries = 1;
  for (std::size_t i = 2; i < ranges.size(); ++i) {
    const bool regular = ranges[i].pa - ranges[i - 1].pa == ranges[i - 1].pa - ranges[i - 2].pa &&
                         ranges[i].bytes == ranges[i - 1].bytes;
    if (!regular) ++entries;
  }
  return entries;
}

// An entry names an address and a distance on each side, a length and a count.
Bytes message_size(const DmaMove& move) {
  constexpr Bytes kEntry{48};
  return kEntry * std::max(entries_of(move.from), entries_of(move.to));
}

Bytes bytes_in(const PhysRanges& ranges) {
  Bytes sum{};
  for (const PhysRange& range : ranges) sum += range.bytes;
  return sum;
}

// The order of the copy. DMAs of the package of `from` read their own memories.
std::shared_ptr<const hw::ControlJob> copy_job(const Tensor& from, const Tensor& to) {
  const std::vector<ShardElements> sources = elements_by_shard(from);
  const std::int64_t size = itemsize(from.dtype());
  std::map<PeCoord, DmaMove> moves;
  for (const ShardElements& target : elements_by_shard(to)) {
    std::vector<const ShardElements*> nearest;
    for (const ShardElements& source : sources) nearest.push_back(&source);
    std::ranges::sort(nearest, {}, [&](const ShardElements* source) {
      return std::pair{hops(source->shard.spec.at, target.shard.spec.at), source};
    });
    std::vector<Piece> missing = target.pieces;
    for (const ShardElements* source : nearest) {
      if (missing.empty()) break;
      copy_from(*source, target, size, missing, moves[source->shard.spec.at]);
    }
  }
  auto job = std::make_shared<hw::ControlJob>();
  Session& session = from.state()->session;
  for (auto& [pe, move] : moves) {
    const std::int64_t elements = bytes_in(move.from).count() / size;
    if (elements == 0) continue;
    const Bytes message = message_size(move);
    job->targets.push_back(
        {.pe = pe,
         .action = hw::MoveBytes{.from = std::move(move.from),
                                 .to = std::move(move.to),
                                 .shape = {elements},
                                 .dtype = from.dtype(),
                                 .value = session.log().reserve(session.lane(from.state()->rank))},
         .size = message});
  }
  return job;
}

using Job = std::shared_ptr<const hw::ControlJob>;

// Orders that are sent now; they hold the tensors, even if their rank is cancelled.
class SentCopies {
 public:
  SentCopies(const std::vector<ElementCopy>& copies, const std::vector<Job>& jobs)
      : tensors_{session_of(copies), jobs, tensors_of(copies)} {
    hw::IHost& host = hw::host_of(session_of(copies).machine());
    for (std::size_t i = 0; i < copies.size(); ++i)
      orders_.push_back(host.order(copies[i].to.state()->rank, copies[i].from.sip(), jobs[i]));
  }
  [[nodiscard]] static Task<> done(SentCopies copies, std::vector<Tensor::Update> updates) {
    co_await when_all(std::move(copies.orders_));
    copies.tensors_.ended();
    updates.clear();
  }

 private:
  static Session& session_of(const std::vector<ElementCopy>& copies) {
    return copies.front().to.state()->session;
  }
  static std::vector<Tensor> tensors_of(const std::vector<ElementCopy>& copies) {
    std::vector<Tensor> all;
    for (const auto& [from, to] : copies) all.insert(all.end(), {from, to});
    return all;
  }

  OnOrder tensors_;
  std::vector<Task<hw::Activity>> orders_;
};

Task<> copied_after(std::vector<ElementCopy> copies, std::vector<Job> jobs,
                    std::vector<Tensor::Update> updates, Events before) {
  co_await wait_for(copies.front().to.state()->session, std::move(before));
  co_await SentCopies::done(SentCopies{copies, jobs}, std::move(updates));
}

Events users_of(const std::vector<ElementCopy>& copies) {
  using By = Tensor::Update::By;
  Events all;
  for (const auto& [from, to] : copies) {
    const Events writers = from.state()->written();
    const Events users = to.state()->written(to.elements(), {By::kernel, By::host, By::source});
    all.insert(all.end(), writers.begin(), writers.end());
    all.insert(all.end(), users.begin(), users.end());
  }
  return all;
}

}  // namespace

Task<> copy_elements(std::vector<ElementCopy> copies) {
  Events before = users_of(copies);
  std::vector<Job> jobs;
  std::vector<Tensor::Update> updates;
  for (const auto& [from, to] : copies) {
    jobs.push_back(copy_job(from, to));
    updates.emplace_back(from, Tensor::Update::By::source);
    updates.emplace_back(to, Tensor::Update::By::host);
  }
  if (!all_set(before))
    return copied_after(std::move(copies), std::move(jobs), std::move(updates), std::move(before));
  const hw::OrderWatch::Knowing knowing{copies.front().to.state()->session.orders(), known_of(before)};
  return SentCopies::done(SentCopies{copies, jobs}, std::move(updates));
}

}  // namespace kbsim::host
