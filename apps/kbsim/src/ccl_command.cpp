// kbsim ccl: plans of collectives, read and written.
#include <algorithm>
#include <iostream>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/names.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/host/plan_record.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"
#include "kbsim/inputs/msccl/xml.hpp"
#include "kbsim/report/output_file.hpp"

#include "commands.hpp"
#include "config_folders.hpp"
#include "parse_options.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace json = boost::json;

enum class Action { none, import_plan, export_plan };

struct CclOptions {
  Action action = Action::none;
  std::string plan;
  int ranks = 0;
  std::string out;
  bool json = false;
};

po::options_description description(CclOptions& o) {
  po::options_description all{"options of kbsim ccl"};
  auto add = all.add_options();
  add("plan", po::value(&o.plan)->value_name("FILE|NAME")->required(),
      "of import: a plan's file, MSCCL's XML or MSCCL++'s JSON; of export: an algorithm of ccl.yaml");
  add("ranks", po::value(&o.ranks)->value_name("N"), "of export: the number of ranks, 2 to 256");
  add("out", po::value(&o.out)->value_name("FILE"), "of export: write the plan there, not on stdout");
  add("json", po::bool_switch(&o.json), "of import: print the description as JSON");
  return all;
}

const std::string kCclExamples = R"(
examples:
  kbsim ccl export ring_all_gather --ranks 4 --out ring.xml
  kbsim ccl import ring.xml
  kbsim --topology topology.yaml --set system.sips.count=4 --bench ccl --algorithm ring.xml
)";

/// Counts of a plan.
struct PlanSize {
  std::size_t blocks = 0;
  std::size_t most_blocks = 0;  // of a rank
  std::size_t steps = 0;
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
        if (!traits_of(step.op).sends) continue;
        ++size.messages;
        size.chunks += step.count;
      }
    }
  }
  return size;
}

json::object to_json(const ccl::Plan& plan, const ccl::PlanJudgement& judgement) {
  const PlanSize size = size_of(plan);
  json::array problems;
  for (const std::string& problem : judgement.problems) problems.emplace_back(problem);
  json::array scratch;
  for (const int chunks : plan.scratch_chunks) scratch.emplace_back(chunks);
  return {{"file", plan.file},
          {"name", plan.name},
          {"collective", to_string(plan.collective)},
          {"protocol", plan.protocol},
          {"in_place", plan.in_place},
          {"ranks", plan.ranks()},
          {"chunks", plan.chunks},
          {"scratch_chunks", std::move(scratch)},
          {"channels", plan.channels},
          {"thread_blocks", size.blocks},
          {"thread_blocks_of_a_rank", size.most_blocks},
          {"connections", ccl::queues_of(plan).all.size()},
          {"steps", size.steps},
          {"messages", size.messages},
          {"chunks_sent", size.chunks},
          {"least_slots", ccl::least_slots(plan, true)},
          {"correct", judgement.right()},
          {"wrong_chunks", judgement.wrong},
          {"unwritten_reads", judgement.unwritten},
          {"problems", std::move(problems)}};
}

// What of a protocol isn't modelled.
std::string protocol_note(const ccl::Plan& plan) {
  return plan.protocol.starts_with("LL")
             ? ", whose flags' bytes aren't modelled: messages are as long as their data"
             : "";
}

std::string judged(const ccl::Plan& plan, const ccl::PlanJudgement& judgement) {
  const std::string what = std::string{to_string(plan.collective)};
  std::string text;
  if (judgement.right()) {
    text = fmt::format("checked: every chunk of every output is what the {} makes it\n", what);
  } else {
    text = fmt::format("wrong: this isn't the {} that it names: {} chunks of outputs differ\n", what,
                       judgement.wrong);
    for (const std::string& problem : judgement.problems) text += "  " + problem + "\n";
    text += "--check 0 of --bench ccl runs it for its time\n";
  }
  if (judgement.unwritten > 0)
    text += fmt::format("{} chunks are read that nothing has written\n", judgement.unwritten);
  return text;
}

std::string to_text(const ccl::Plan& plan, const ccl::PlanJudgement& judgement) {
  const PlanSize size = size_of(plan);
  const auto scratch = std::ranges::max(plan.scratch_chunks);
  return fmt::format(
             "{}: {}, {} {} of {} ranks\n"
             "protocol {}{}\n"
             "{} chunks{}; messages of up to {} chunks\n"
             "{} thread blocks, up to {} a rank (a PE each), on {} connections\n"
             "{} steps, {} messages, {} chunks sent\n"
             "ends with {} slots (n_slots) or more\n",
             plan.file, plan.name, plan.in_place ? "in-place" : "out-of-place", to_string(plan.collective),
             plan.ranks(), plan.protocol, protocol_note(plan), plan.chunks,
             scratch > 0 ? fmt::format(", {} of scratch", scratch) : "", ccl::largest_message(plan),
             size.blocks, size.most_blocks, ccl::queues_of(plan).all.size(), size.steps, size.messages,
             size.chunks, ccl::least_slots(plan, true)) +
         judged(plan, judgement);
}

ExitCode import_plan(const CclOptions& options) {
  const ccl::Plan plan = inputs::read_plan(options.plan);
  const ccl::PlanJudgement judgement = ccl::judge(plan);
  std::cout << (options.json ? json::serialize(to_json(plan, judgement)) + "\n" : to_text(plan, judgement));
  return judgement.right() ? ExitCode::ok : ExitCode::wrong_values;
}

ExitCode export_plan(const CclOptions& options) {
  if (options.ranks < 2 || options.ranks > 256)
    throw UsageError{fmt::format("kbsim ccl export: --ranks must be 2 to 256, got {}", options.ranks)};
  const config::CclSpec ccl = config::load_ccl("ccl.yaml", {}, config_folders());
  const std::string text = inputs::to_msccl(host::plan_of_kernel(ccl.resolve(options.plan), options.ranks));
  if (options.out.empty()) {
    std::cout << text;
  } else {
    report::write_file(options.out, text);
  }
  return ExitCode::ok;
}

// Of another action than the one that is asked for.
void refuse_unused(const CclOptions& options) {
  const bool imports = options.action == Action::import_plan;
  if (imports && (options.ranks != 0 || !options.out.empty()))
    throw UsageError{"kbsim ccl import: --ranks and --out are of kbsim ccl export"};
  if (!imports && options.json) throw UsageError{"kbsim ccl export: --json is of kbsim ccl import"};
}

Action action_named(const std::string& word) {
  if (word == "import") return Action::import_plan;
  if (word == "export") return Action::export_plan;
  throw UsageError{fmt::format("kbsim ccl: there is no '{}'{}", word, name_hint(word, {"import", "export"}))};
}

}  // namespace

ExitCode ccl_plans(const Arguments& arguments) {
  CclOptions options;
  po::options_description all = description(options);
  Arguments rest = arguments;
  if (!rest.empty() && !rest.front().starts_with('-')) {
    options.action = action_named(rest.front());
    rest.erase(rest.begin());
  }
  parse_options(rest, all,
                {.usage = "kbsim ccl import FILE, or kbsim ccl export NAME --ranks N",
                 .examples = kCclExamples,
                 .positional = "plan"});
  if (options.action == Action::none) throw UsageError{"kbsim ccl: import FILE, or export NAME --ranks N"};
  refuse_unused(options);
  return options.action == Action::import_plan ? import_plan(options) : export_plan(options);
}

}  // namespace kbsim::app
