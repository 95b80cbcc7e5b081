// Description of a plan of a collective.
#include <algorithm>
#include <array>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/plan_steps.hpp"
#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/inputs/description/description.hpp"
#include "kbsim/inputs/description/file_kind.hpp"

namespace kbsim::inputs {
namespace {

/// Counts of a plan.
struct PlanSize {
  std::size_t blocks = 0;
  std::size_t most_blocks = 0;  // largest number on a rank
  std::size_t steps = 0;
  std::array<std::size_t, kPlanOps.size()> by_kind = {};
  std::int64_t messages = 0;
  std::int64_t chunks = 0;  // in messages
};

PlanSize size_of(const ccl::Plan& plan) {
  PlanSize size;
  for (const auto& blocks : plan.blocks) {
    size.blocks += blocks.size();
    size.most_blocks = std::max(size.most_blocks, blocks.size());
    for (const PlanBlock& block : blocks) {
      size.steps += block.steps.size();
      for (const PlanStep& step : block.steps) {
        ++size.by_kind[static_cast<std::size_t>(step.op)];
        if (!traits_of(step.op).sends) continue;
        ++size.messages;
        size.chunks += step.count;
      }
    }
  }
  return size;
}

boost::json::object steps_by_kind(const PlanSize& size) {
  boost::json::object all;
  for (std::size_t i = 0; i < kPlanOps.size(); ++i) {
    if (size.by_kind[i] > 0) all[kPlanOps[i]] = size.by_kind[i];
  }
  return all;
}

std::string kinds_text(const PlanSize& size) {
  std::string text;
  for (std::size_t i = 0; i < kPlanOps.size(); ++i) {
    if (size.by_kind[i] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", size.by_kind[i], kPlanOps[i]);
  }
  return text;
}

// "inputs of 2, outputs of 2 to 4", if the ranks' buffers differ in length.
std::string lengths_text(const ccl::Plan& plan) {
  const auto text = [](const std::vector<int>& chunks) {
    const auto [least, most] = std::ranges::minmax(chunks);
    return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  };
  const auto is_all = [&](int chunks) { return chunks == plan.chunks; };
  if (std::ranges::all_of(plan.in_chunks, is_all) && std::ranges::all_of(plan.out_chunks, is_all)) return "";
  return fmt::format(", inputs of {}, outputs of {}", text(plan.in_chunks), text(plan.out_chunks));
}

boost::json::array list_of(const std::vector<int>& numbers) {
  return boost::json::array(numbers.begin(), numbers.end());
}

// The part of a protocol that isn't modelled.
std::string protocol_note(const ccl::Plan& plan) {
  return plan.protocol.starts_with("LL")
             ? ", whose flags' bytes aren't modelled: messages are as long as their data"
             : "";
}

constexpr std::size_t kMostPrinted = 16;

std::string judged_custom(const ccl::Plan& plan, const ccl::PlanJudgement& judgement) {
  std::string text = judgement.right() ? "it names no collective; what arrives where:\n"
                                       : "it names no collective, and what arrives isn't known\n";
  constexpr std::size_t kParts = 8;
  const std::vector<std::string> all = ccl::describe(ccl::outputs_of(plan), kParts);
  for (const std::string& line : all | std::views::take(kMostPrinted)) text += "  " + line + "\n";
  if (all.size() > kMostPrinted)
    text += fmt::format("  and {}\n", counted(all.size() - kMostPrinted, "more chunk"));
  return text;
}

std::string judged(const ccl::Plan& plan, const ccl::PlanJudgement& judgement) {
  const std::string what{plan.collective_name()};
  std::string text;
  if (plan.custom) {
    text = judged_custom(plan, judgement);
  } else if (judgement.right()) {
    text = fmt::format("checked: every chunk of every output is what the {} makes it\n", what);
  } else {
    text = fmt::format("wrong: this isn't the {} that it names: {}\n", what,
                       counted(judgement.wrong, "chunk of the outputs differs", "chunks of outputs differ"));
    for (const std::string& problem : judgement.problems) text += "  " + problem + "\n";
    text += "--check 0 of --bench ccl runs it for its time\n";
  }
  if (judgement.unwritten > 0)
    text += fmt::format("{} read that nothing has written\n",
                        counted(judgement.unwritten, "chunk is", "chunks are"));
  return text;
}

}  // namespace

boost::json::object describe(const ccl::Plan& plan, const ccl::PlanJudgement& judgement) {
  const PlanSize size = size_of(plan);
  boost::json::array problems;
  for (const std::string& problem : judgement.problems) problems.emplace_back(problem);
  boost::json::object all{
      {"format", name_of(plan.file.ends_with(".json") ? FileKind::mscclpp_plan : FileKind::msccl_plan)},
      {"file", plan.file},
      {"name", plan.name},
      {"collective", plan.collective_name()},
      {"protocol", plan.protocol},
      {"in_place", plan.in_place},
      {"ranks", plan.ranks()},
      {"chunks", plan.chunks},
      {"scratch_chunks", list_of(plan.scratch_chunks)},
      {"channels", plan.channels},
      {"thread_blocks", size.blocks},
      {"thread_blocks_of_a_rank", size.most_blocks},
      {"connections", ccl::queues_of(plan).all.size()},
      {"steps", size.steps},
      {"steps_by_kind", steps_by_kind(size)},
      {"messages", size.messages},
      {"chunks_sent", size.chunks},
      {"least_slots", ccl::least_slots(plan, true)},
      {"correct", judgement.right()},
      {"wrong_chunks", judgement.wrong},
      {"unwritten_reads", judgement.unwritten},
      {"problems", std::move(problems)}};
  if (!plan.custom) return all;
  if (!plan.in_chunks.empty()) all["input_chunks"] = list_of(plan.in_chunks);
  if (!plan.out_chunks.empty()) all["output_chunks"] = list_of(plan.out_chunks);
  boost::json::array arrives;
  for (const std::string& line : ccl::describe(ccl::outputs_of(plan))) arrives.emplace_back(line);
  all["arrives"] = std::move(arrives);
  return all;
}

std::string text_about(const ccl::Plan& plan, const ccl::PlanJudgement& judgement) {
  const PlanSize size = size_of(plan);
  const auto scratch = std::ranges::max(plan.scratch_chunks);
  return fmt::format(
             "{}: {}, {} {} of {}\n"
             "protocol {}{}\n"
             "{}{}{}; messages of up to {}\n"
             "{}, up to {} a rank (a PE each), on {}\n"
             "{} ({}), {}, {} sent\n"
             "ends with {} (n_slots) or more\n",
             plan.file, plan.name, plan.in_place ? "in-place" : "out-of-place", plan.collective_name(),
             counted(plan.ranks(), "rank"), plan.protocol, protocol_note(plan), counted(plan.chunks, "chunk"),
             lengths_text(plan), scratch > 0 ? fmt::format(", {} of scratch", scratch) : "",
             counted(ccl::largest_message(plan), "chunk"), counted(size.blocks, "thread block"),
             size.most_blocks, counted(ccl::queues_of(plan).all.size(), "connection"),
             counted(size.steps, "step"), kinds_text(size), counted(size.messages, "message"),
             counted(size.chunks, "chunk"), counted(ccl::least_slots(plan, true), "slot")) +
         judged(plan, judgement);
}

}  // namespace kbsim::inputs
