#include "kbsim/ccl/plan_check.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <ranges>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <range/v3/view/enumerate.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/plan_walk.hpp"

#include "plan_index.hpp"

namespace kbsim::ccl {
namespace {

namespace views = ranges::views;

using Sum = std::vector<Contribution>;
using SumPtr = PlanSum;

SumPtr merged(const SumPtr& a, const SumPtr& b) {
  if (!a || !b) return nullptr;
  Sum sum;
  sum.reserve(a->size() + b->size());
  auto left = a->begin();
  auto right = b->begin();
  while (left != a->end() || right != b->end()) {
    if (right == b->end() || (left != a->end() && left->source() < right->source())) {
      sum.push_back(*left++);
    } else if (left == a->end() || right->source() < left->source()) {
      sum.push_back(*right++);
    } else {
      const std::uint64_t times = std::uint64_t{left->times} + right->times;
      sum.push_back(
          {left->rank, left->chunk, static_cast<std::uint32_t>(std::min<std::uint64_t>(times, 1U << 31U))});
      ++left;
      ++right;
    }
  }
  return std::make_shared<const Sum>(std::move(sum));
}

/// The buffers of all ranks, followed through the steps.
class Follow {
 public:
  Follow(const Plan& plan, std::size_t most) : plan_{plan}, left_{most} {
    for (int rank = 0; rank < plan.ranks(); ++rank) {
      auto& buffers = memory_.emplace_back();
      const auto sizes = {std::max(plan.chunks_of(PlanBuffer::input, rank), plan.in_place ? plan.chunks : 0),
                          plan.in_place ? 0 : plan.chunks_of(PlanBuffer::output, rank),
                          plan.chunks_of(PlanBuffer::scratch, rank)};
      for (const int size : sizes) buffers.emplace_back(at(size));
      for (int chunk = 0; chunk < plan.chunks_of(PlanBuffer::input, rank); ++chunk)
        cell(rank, {PlanBuffer::input, chunk}) = std::make_shared<const Sum>(Sum{{rank, chunk}});
    }
  }

  void run(const PlanStep& step, int rank, int in, int out) {
    std::vector<SumPtr> message;
    if (in >= 0) {
      message = std::move(queues_[in].front());
      queues_[in].pop_front();
    }
    std::vector<SumPtr> result;
    for (int i = 0; i < step.count; ++i) result.push_back(chunk_of(step, rank, i, message));
    if (out >= 0) queues_[out].push_back(std::move(result));
  }

  void require_room(std::size_t contributions) const {
    if (contributions > left_)
      throw Unsupported{plan_.name + ": so many contributions move in this plan that they aren't followed"};
  }
  [[nodiscard]] const SumPtr& output(int rank, int chunk) { return cell(rank, {PlanBuffer::output, chunk}); }
  [[nodiscard]] std::size_t unwritten() const { return unwritten_; }

 private:
  [[nodiscard]] SumPtr& cell(int rank, PlanChunk chunk) {
    const PlanPlace place = place_of(plan_, rank, chunk);
    return memory_[at(rank)][at(place.buffer)][at(place.index)];
  }
  [[nodiscard]] const SumPtr& read(int rank, PlanChunk chunk) {
    const SumPtr& found = cell(rank, chunk);
    if (!found) ++unwritten_;
    return found;
  }

  // The value that a step gives for the ith of its chunks; stored if the step stores.
  SumPtr chunk_of(const PlanStep& step, int rank, int i, const std::vector<SumPtr>& message) {
    const PlanOpTraits op = traits_of(step.op);
    const PlanChunk src{step.src.buffer, step.src.index + i};
    const PlanChunk dst{step.dst.buffer, step.dst.index + i};
    SumPtr value;
    if (op.reads) value = read(rank, src);
    if (op.receives) value = op.reads ? merged(message[at(i)], value) : message[at(i)];
    if (step.op == PlanOp::reduce) value = merged(read(rank, dst), value);
    if (step.op == PlanOp::reduce || (op.receives && op.reads)) take(value);
    if (op.stores) cell(rank, dst) = value;
    return value;
  }

  void take(const SumPtr& value) {
    const std::size_t size = 1 + (value ? value->size() : 0);
    require_room(size);
    left_ -= size;
  }

  const Plan& plan_;
  std::size_t left_;
  std::size_t unwritten_ = 0;
  std::vector<std::vector<std::vector<SumPtr>>> memory_;  // by rank, buffer and chunk
  std::map<int, std::deque<std::vector<SumPtr>>> queues_;
};

// Sorted, with equal sources as one.
Sum collected(Sum parts) {
  std::ranges::sort(parts, {}, &Contribution::source);
  Sum sum;
  for (const Contribution& part : parts) {
    if (!sum.empty() && sum.back().source() == part.source()) {
      ++sum.back().times;
    } else {
      sum.push_back(part);
    }
  }
  return sum;
}

/// The sources that a chunk of a rank's output should have: the inputs that the collective's definition asks
/// for, with chunks in place of elements.
Sum expected(const Plan& plan, const CollectiveEntry& row, int rank, int chunk) {
  Sum asked;
  const auto in = [&asked](int source, std::int64_t i) {
    asked.push_back({source, static_cast<int>(i)});
    return 0.0;
  };
  const auto combined = [&](std::int64_t i) {
    for (int source = 0; source < plan.ranks(); ++source) (void)in(source, i);
    return 0.0;
  };
  const CollectiveInputs inputs{.ranks = plan.ranks(),
                                .n_elem = plan.chunks_of(PlanBuffer::input, rank),
                                .root = 0,
                                .in = in,
                                .combined = combined};
  (void)row.reference(inputs, rank, chunk);
  return collected(std::move(asked));
}

std::string named(const Contribution& one) { return fmt::format("chunk {} of rank {}", one.chunk, one.rank); }

// "chunk 3 of rank 0 + 2 times chunk 0 of rank 2 + 24 more"
std::string text_of(const Sum& sum, std::size_t most) {
  const auto text = [](const Contribution& one) {
    return one.times > 1 ? fmt::format("{} times {}", one.times, named(one)) : named(one);
  };
  const std::size_t shown = most == 0 ? sum.size() : std::min(most, sum.size());
  const std::string more = shown < sum.size() ? fmt::format(" + {} more", sum.size() - shown) : "";
  return fmt::format("{}{}", fmt::join(sum | std::views::take(shown) | std::views::transform(text), " + "),
                     more);
}

bool is_right(const Sum& wanted, const SumPtr& found) {
  return found && std::ranges::equal(wanted, *found, [](const Contribution& a, const Contribution& b) {
           return a.source() == b.source() && a.times == b.times;
         });
}

// The first difference.
std::string difference(const Sum& wanted, const SumPtr& found) {
  if (!found) return "is never written";
  const auto times_in = [](const Sum& sum, const Contribution& one) {
    const auto same = std::ranges::find(sum, one.source(), &Contribution::source);
    return same == sum.end() ? 0U : same->times;
  };
  for (const Contribution& one : wanted) {
    const std::uint32_t times = times_in(*found, one);
    if (times == 0) return "lacks " + named(one);
    if (times != one.times) return fmt::format("has {} {} times", named(one), times);
  }
  for (const Contribution& one : *found) {
    if (times_in(wanted, one) == 0) return fmt::format("has {}, which doesn't belong there", named(one));
  }
  return "";
}

Follow followed(const Plan& plan, std::size_t most) {
  Follow follow{plan, most};
  (void)walk(plan, {},
             [&](int rank, const PlanStep& step, int in, int out) { follow.run(step, rank, in, out); });
  follow.require_room(std::size_t{1} * at(plan.ranks()) * at(plan.ranks()) * at(plan.chunks));
  return follow;
}

std::vector<std::vector<PlanSum>> outputs_in(Follow follow, const Plan& plan) {
  std::vector<std::vector<PlanSum>> all(at(plan.ranks()));
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    for (int chunk = 0; chunk < plan.chunks_of(PlanBuffer::output, rank); ++chunk)
      all[at(rank)].push_back(follow.output(rank, chunk));
  }
  return all;
}

void judge_output(const Plan& plan, const CollectiveEntry& row, int rank, Follow& follow,
                  PlanJudgement& found) {
  constexpr std::size_t kPrinted = 5;
  for (int chunk = 0; chunk < plan.chunks_of(PlanBuffer::output, rank); ++chunk) {
    const Sum wanted = expected(plan, row, rank, chunk);
    const SumPtr& got = follow.output(rank, chunk);
    if (is_right(wanted, got)) continue;
    ++found.wrong;
    if (found.problems.size() < kPrinted)
      found.problems.push_back(
          fmt::format("chunk {} of rank {}'s output {}", chunk, rank, difference(wanted, got)));
  }
}

// A plan that names no collective is right if it only reads written chunks.
PlanJudgement judged_alone(const Follow& follow) {
  PlanJudgement found{.wrong = follow.unwritten(), .unwritten = follow.unwritten()};
  if (found.wrong > 0)
    found.problems.push_back(counted(found.wrong, "chunk is", "chunks are") +
                             " read that nothing has written");
  return found;
}

}  // namespace

std::vector<std::vector<PlanSum>> outputs_of(const Plan& plan, std::size_t most) {
  return outputs_in(followed(plan, most), plan);
}

std::vector<std::string> describe(const std::vector<std::vector<PlanSum>>& outputs, std::size_t most) {
  std::vector<std::string> all;
  for (const auto& [rank, chunks] : views::enumerate(outputs)) {
    for (const auto& [chunk, sum] : views::enumerate(chunks)) {
      if (sum)
        all.push_back(fmt::format("chunk {} of rank {}'s output: {}", chunk, rank, text_of(*sum, most)));
    }
  }
  return all;
}

PlanJudgement judge(const Plan& plan, std::size_t most) {
  Follow follow = followed(plan, most);
  if (plan.custom) return judged_alone(follow);
  PlanJudgement found;
  const CollectiveEntry& row = collective(plan.collective);
  const int with_output = row.at_root_alone ? std::min(1, plan.ranks()) : plan.ranks();  // the root is rank 0
  for (int rank = 0; rank < with_output; ++rank) judge_output(plan, row, rank, follow, found);
  found.unwritten = follow.unwritten();
  return found;
}

}  // namespace kbsim::ccl
