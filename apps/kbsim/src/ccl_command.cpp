// kbsim ccl: plans of collectives, read and written.
#include <iostream>

#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/names.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/host/plan_record.hpp"
#include "kbsim/inputs/description/description.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"
#include "kbsim/inputs/msccl/xml.hpp"
#include "kbsim/report/output_file.hpp"

#include "commands.hpp"
#include "config_folders.hpp"
#include "parse_options.hpp"
#include "plugins.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace json = boost::json;

enum class Action { none, import_plan, export_plan };

struct CclOptions {
  Action action = Action::none;
  std::string plan;
  int ranks = 0;
  std::string ccl;
  std::string out;
  bool json = false;
};

po::options_description description(CclOptions& o) {
  po::options_description all{"options of kbsim ccl"};
  auto add = all.add_options();
  add("plan", po::value(&o.plan)->value_name("FILE|NAME")->required(),
      "of import: a plan's file, MSCCL's XML or MSCCL++'s JSON; of export: an algorithm of ccl.yaml");
  add("ranks", whole("ranks", "N", {2, 256}, &o.ranks), "of export: the number of ranks, 2 to 256");
  add("ccl", po::value(&o.ccl)->value_name("FILE"),
      "of export: the file of collective algorithms (default: ccl.yaml)");
  describe_plugins(all);
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

ExitCode import_plan(const CclOptions& options) {
  const ccl::Plan plan = inputs::read_plan(options.plan);
  const ccl::PlanJudgement judgement = ccl::judge(plan);
  std::cout << (options.json ? json_as_utf8(json::serialize(inputs::describe(plan, judgement))) + "\n"
                             : inputs::text_about(plan, judgement));
  return judgement.right() ? ExitCode::ok : ExitCode::wrong_values;
}

ExitCode export_plan(const CclOptions& options) {
  if (options.ranks == 0) throw UsageError{"--ranks N is missing: of how many ranks the plan is to be"};
  const config::CclSpec ccl =
      config::load_ccl(options.ccl.empty() ? "ccl.yaml" : options.ccl, {}, config_folders());
  const std::string text = inputs::to_msccl(host::plan_of_kernel(ccl.resolve(options.plan), options.ranks));
  if (options.out.empty()) {
    std::cout << text;
  } else {
    report::write_file(options.out, text);
    report::say_written(options.out);
  }
  return ExitCode::ok;
}

// Refuses options of the other action.
void refuse_unused(const CclOptions& options) {
  const bool imports = options.action == Action::import_plan;
  if (imports && (options.ranks != 0 || !options.out.empty() || !options.ccl.empty() || has_plugins()))
    throw UsageError{"--ranks, --ccl, --plugin and --out are of kbsim ccl export"};
  if (!imports && options.json) throw UsageError{"--json is of kbsim ccl import"};
}

Action action_named(const std::string& word) {
  if (word == "import") return Action::import_plan;
  if (word == "export") return Action::export_plan;
  throw UsageError{fmt::format("ccl: there is no '{}'{}", word, name_hint(word, {"import", "export"}))};
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
  if (options.action == Action::none) throw UsageError{"ccl: expected import FILE, or export NAME --ranks N"};
  refuse_unused(options);
  return options.action == Action::import_plan ? import_plan(options) : export_plan(options);
}

}  // namespace kbsim::app
