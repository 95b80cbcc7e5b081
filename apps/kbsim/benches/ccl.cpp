// One collective over a range of sizes, as nccl-tests measure them: the same flags, columns and factors.
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/model_version.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/process_memory.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/ccl/ranks.hpp"
#include "kbsim/ccl/tuner.hpp"
#include "kbsim/evaluate/ccl_point.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/report/ccl_figures.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/text_table.hpp"

#include "ccl_table.hpp"

namespace kbsim::app::ccl_bench {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 11> kUnits{{{"", 0},
                                                                   {"B", 0},
                                                                   {"K", 10},
                                                                   {"k", 10},
                                                                   {"KiB", 10},
                                                                   {"M", 20},
                                                                   {"m", 20},
                                                                   {"MiB", 20},
                                                                   {"G", 30},
                                                                   {"g", 30},
                                                                   {"GiB", 30}}};

// "1K" and "1k" are 1024 bytes, as in nccl-tests.
Bytes bytes_of(const std::string& text, const char* option) {
  std::int64_t count = 0;
  const char* const last = text.data() + text.size();
  const auto [digits, error] = std::from_chars(text.data(), last, count);
  const auto unit =
      std::ranges::find(kUnits, std::string_view{digits, last}, &decltype(kUnits)::value_type::first);
  if (digits == text.data() || count < 0 || unit == kUnits.end())
    throw UsageError{fmt::format("--{} {}: expected bytes, as 1024, 1K, 4M or 1G", option, text)};
  if (error != std::errc{} || count > kMostElements >> unit->second)
    throw UsageError{fmt::format("--{} {}: more than any memory", option, text)};
  return Bytes{count << unit->second};
}

struct Options {
  std::string minbytes = "1K";
  std::string maxbytes = "1M";
  std::string stepbytes = "0";
  std::int64_t stepfactor = 4;
  std::string op = "sum";
  std::string datatype = "half";
  std::int64_t root = 0;
  int iters = 1;
  int warmup_iters = 0;
  int check = 1;
  std::string output_file;
  std::string pick;

  static void describe(auto& f) {
    f.add("minbytes,b", &Options::minbytes, "smallest size; K, M and G are powers of 1024").called("BYTES");
    f.add("maxbytes,e", &Options::maxbytes, "largest size").called("BYTES");
    f.add("stepbytes,i", &Options::stepbytes, "from one size to the next").called("BYTES");
    f.add("stepfactor,f", &Options::stepfactor, between(1, 1 << 20),
          "factor from one size to the next, unless there are --stepbytes");
    f.add("op,o", &Options::op, "sum, prod, max, min, avg, or all that the type has").called("OP");
    f.add("datatype,d", &Options::datatype,
          "half, bfloat16, float, double, int8, uint8, int32; or float16, float32 and so on")
        .called("TYPE");
    f.add("root,r", &Options::root, "of reduce and broadcast").called("RANK");
    f.add("iters,n", &Options::iters, between(1, 1000), "calls that count; equal ones take equally long");
    f.add("warmup_iters,w", &Options::warmup_iters, between(0, 1000), "calls before them");
    f.add("check,c", &Options::check, between(0, 1),
          "whether the first call's numbers are compared with a reference; 0 computes none")
        .called("0|1");
    f.add("output_file,J", &Options::output_file, "write the results in nccl-tests' JSON")
        .called("FILE")
        .output();
    f.add("pick", &Options::pick,
          "each size takes the algorithm of this collective that a program's calls would pick, by limits and "
          "estimates, in place of --algorithm")
        .called("COLLECTIVE");
  }
};

std::vector<Bytes> sizes_of(const Options& own) {
  const Bytes least = bytes_of(own.minbytes, "minbytes");
  const Bytes most = bytes_of(own.maxbytes, "maxbytes");
  const Bytes step = bytes_of(own.stepbytes, "stepbytes");
  if (least > most)
    throw UsageError{
        fmt::format("--minbytes {} is more than --maxbytes {}", to_string(least), to_string(most))};
  if (least == 0_B) throw UsageError{"--minbytes must be at least 1"};
  if (step == 0_B && own.stepfactor == 1 && least < most)
    throw UsageError{
        fmt::format("--stepfactor 1 doesn't lead from --minbytes {} to --maxbytes {}; expected 2 or more, or "
                    "--stepbytes",
                    to_string(least), to_string(most))};
  std::vector<Bytes> sizes;
  constexpr std::size_t kMost = 10'000;
  for (Bytes size = least; size <= most;) {
    sizes.push_back(size);
    if (sizes.size() > kMost) throw UsageError{fmt::format("more than {} sizes; raise --stepbytes", kMost)};
    if (step > 0_B) {
      size += step;
    } else if (own.stepfactor > 1 && size <= most / own.stepfactor) {
      size = size * own.stepfactor;
    } else {
      break;
    }
  }
  return sizes;
}

Reduction own_op(const config::AlgorithmSpec& algorithm) {
  return static_cast<Reduction>(algorithm.reduce_op);
}

bool has(DType dtype, Reduction op) { return op != Reduction::avg || info(dtype).floating; }

// The algorithm's own operation, unless one is given.
std::vector<Reduction> operations_of(const OptionValues& given, const evaluate::CclPoint& point) {
  const DType dtype = point.dtype;
  const std::string text =
      given.given("op") ? given.as<Options>().op : std::string{to_string(own_op(point.algorithm))};
  if (text != "all") return {evaluate::reduction_named(text)};
  std::vector<Reduction> all{Reduction::sum, Reduction::prod, Reduction::max, Reduction::min, Reduction::avg};
  std::erase_if(all, [dtype](Reduction op) { return !has(dtype, op); });
  return all;
}

void check_operation(const evaluate::CclPoint& point) {
  if (!has(point.dtype, point.op))
    throw UsageError{fmt::format("-o {0}: there is no {0} of integers ({1}); expected sum, prod, max or min",
                                 to_string(point.op), evaluate::nccl_name(point.dtype))};
}

void refuse_unused(const OptionValues& own, const char* option, const std::string& why) {
  if (own.given(option)) throw UsageError{fmt::format("--{} has no effect: {}", option, why)};
}

// Refuses options without effect; nccl-tests accepts and ignores them.
void check_options(const OptionValues& own, const config::AlgorithmSpec& algorithm) {
  const ccl::Plan* plan = ccl::plan_of(algorithm);
  const std::string_view what = ccl::collective_name(algorithm);
  const ccl::CollectiveEntry& row = ccl::collective_of(algorithm);
  if (!row.combines)
    refuse_unused(
        own, "op",
        fmt::format("{} {}", what, plan != nullptr && plan->custom ? "plans add" : "combines nothing"));
  if (!row.has_root) refuse_unused(own, "root", fmt::format("{} has no root", what));
  if (own.given("stepbytes") && bytes_of(own.as<Options>().stepbytes, "stepbytes") == 0_B)
    throw UsageError{"--stepbytes must be at least 1, got 0"};
  if (own.given("stepbytes")) refuse_unused(own, "stepfactor", "--stepbytes stands in its place");
}

Bytes need_of(const evaluate::CclPoint& point) {
  return evaluate::memory_of(
      point.machine, point.algorithm,
      {.n_elem = evaluate::elements_of(point), .dtype = point.dtype, .values = point.repeats.check});
}

// Depends on the number of ranks, which is known with the algorithm.
int root_of(const Options& own, int ranks) {
  if (own.root >= 0 && own.root < ranks) return static_cast<int>(own.root);
  throw UsageError{fmt::format("--root must be 0 to {}, got {}", ranks - 1, own.root)};
}

// Checks the memory of the largest simulations, one per thread: these may run at the same time.
void check_memory(const std::vector<evaluate::CclPoint>& points, unsigned threads) {
  std::vector<const evaluate::CclPoint*> largest;
  for (const evaluate::CclPoint& point : points) largest.push_back(&point);
  std::ranges::sort(largest, std::greater{}, &evaluate::CclPoint::size);
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  largest.resize(std::min<std::size_t>(largest.size(), threads));
  Bytes need;
  for (const evaluate::CclPoint* point : largest) need += need_of(*point);
  require_memory_for(need, fmt::format("--bench ccl with {} at the same time, the largest of {},",
                                       counted(largest.size(), "size"), to_string(largest.front()->size)));
}

config::Collective picked_for(const Options& own) {
  if (ccl::collectives().find(own.pick) != nullptr) return config::Collective{own.pick};
  throw UsageError{fmt::format("--pick {}: no such collective{}", own.pick,
                               name_hint(own.pick, ccl::collectives().names()))};
}

// The algorithm that a call of the point's size picks. A call's size is that of a rank's input.
config::AlgorithmSpec picked(const evaluate::EvaluationRequest& request, const evaluate::CclPoint& point) {
  const config::Collective which = picked_for(request.own.as<Options>());
  const int ranks = request.machine.system.sips.count;
  const ccl::CollectiveEntry& row = ccl::collective(which);
  const std::int64_t shares = std::max(row.shares_in(ranks), row.shares_out(ranks));
  const std::int64_t elements =
      std::max<std::int64_t>(1, point.size.count() / itemsize(point.dtype) / shares);
  const Bytes bytes{elements * row.shares_in(ranks) * itemsize(point.dtype)};
  const auto found = ccl::candidates(request.ccl, request.machine, which, bytes);
  if (found.empty())
    throw UsageError{
        fmt::format("--pick {}: the ccl file has no algorithm for it that joins the same PE of all "
                    "packages",
                    to_string(which))};
  return found.front().algorithm;
}

config::AlgorithmSpec algorithm_of(const evaluate::EvaluationRequest& request,
                                   const evaluate::CclPoint& point) {
  return request.own.given("pick") ? picked(request, point) : request.ccl.resolve(request.algorithm);
}

void check_software(const config::SoftwareSpec& software) {
  for (const config::CallSoftwareSpec& call : software.calls) {
    if (ccl::collectives().find(call.collective) == nullptr)
      throw UsageError{fmt::format("software.calls: {}: no such collective{}", call.collective,
                                   name_hint(call.collective, ccl::collectives().names()))};
  }
}

std::vector<evaluate::CclPoint> points_of(const evaluate::EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  if (request.own.given("pick") && !request.algorithm.empty())
    throw UsageError{
        fmt::format("--pick and --algorithm {}: a picked algorithm isn't named", request.algorithm)};
  evaluate::CclPoint point{.machine = request.machine,
                           .algorithm = {},
                           .size = sizes_of(own).front(),
                           .dtype = evaluate::dtype_named(own.datatype)};
  const config::AlgorithmSpec first = algorithm_of(request, point);
  check_options(request.own, first);
  const int ranks = ccl::ranks_of(first, request.machine);
  point = {.machine = request.machine,
           .algorithm = first,
           .size = {},
           .dtype = evaluate::dtype_named(own.datatype),
           .root = root_of(own, ranks),
           .repeats = {.warmup = own.warmup_iters, .iterations = own.iters, .check = own.check == 1},
           .trace = request.trace};
  std::vector<evaluate::CclPoint> points;
  for (const Reduction op : operations_of(request.own, point)) {
    for (const Bytes size : sizes_of(own)) {
      point.op = op;
      point.size = size;
      point.algorithm = algorithm_of(request, point);
      check_operation(point);
      point.question = evaluate::question_of(request, points.size());
      points.push_back(point);
    }
  }
  return points;
}

boost::json::object measured(const boost::json::object& row, const std::string& prefix) {
  boost::json::object group;
  for (const char* column : {"time", "alg_bw", "bus_bw", "nwrong"}) group[column] = row.at(prefix + column);
  return group;
}

boost::json::object nccl_tests_json(const evaluate::Simulated& simulated, bool in_place_alone) {
  boost::json::array results;
  for (const auto& value : simulated.rows) {
    const boost::json::object& row = value.as_object();
    boost::json::object result{{"size", row.at("size")},
                               {"count", row.at("count")},
                               {"type", row.at("type")},
                               {"redop", row.at("redop")},
                               {"root", row.at("root")}};
    result[in_place_alone ? "in_place" : "out_of_place"] = measured(row, "");
    if (row.contains("in_place_time")) result["in_place"] = measured(row, "in_place_");
    results.push_back(std::move(result));
  }
  boost::json::object all{{"version", KBSIM_VERSION}, {"model_version", kModelVersion}, {"results", results}};
  if (!evaluate::has_all_rows(simulated)) all["interrupted"] = true;
  return all;
}

// Sizes are those of whole elements, divided among the ranks where the collective divides them.
void say_other_sizes(const std::vector<evaluate::CclPoint>& points) {
  constexpr std::size_t kShown = 4;
  std::set<std::pair<Bytes, Bytes>> others;
  for (const evaluate::CclPoint& point : points) {
    if (const Bytes size = measured_size(point); size != point.size) others.emplace(point.size, size);
  }
  if (others.empty()) return;
  std::vector<std::string> texts;
  for (const auto& [asked, size] : others | std::views::take(kShown))
    texts.push_back(fmt::format("{} B in place of {} B", size.count(), asked.count()));
  say("kbsim: --bench ccl measures whole elements of {} ({} B) on each rank: {}{}\n",
      evaluate::nccl_name(points.front().dtype), itemsize(points.front().dtype), fmt::join(texts, ", "),
      others.size() > kShown ? fmt::format(" and {} more", others.size() - kShown) : "");
}

// A plan that computes something other than it says may still be run for its time.
void check_plan(const evaluate::CclPoint& point) {
  const ccl::Plan* plan = ccl::plan_of(point.algorithm);
  if (plan == nullptr) return;
  if (point.root != 0) throw Unsupported{fmt::format("--root {}: the root of a plan is rank 0", point.root)};
  const ccl::PlanJudgement found = ccl::judge(*plan);
  if (found.right()) return;
  const std::string what = plan->custom
                               ? fmt::format("{}: {}", plan->file, found.problems.front())
                               : fmt::format("{} doesn't compute the {} that it names: {}", plan->file,
                                             to_string(plan->collective), found.problems.front());
  if (point.repeats.check) throw UsageError{what + "; -c 0 runs it for its time"};
  say("kbsim: {}; it is run for its time\n", what);
}

// Refuses before the run what would fail in its middle. The largest tensors come last.
void check(const evaluate::EvaluationRequest& request) {
  const std::vector<evaluate::CclPoint> points = points_of(request);
  if (request.trace != nullptr && points.size() > 1)
    throw UsageError{fmt::format("--trace is of a single simulation, and these are {}; {} is one",
                                 points.size(), request.alone)};
  evaluate::require_asked(request, points.size());
  check_software(request.machine.software);
  const evaluate::CclPoint& largest = points.back();
  evaluate::require_buildable(request, largest.machine, points.size());
  evaluate::require_possible(
      largest.machine, largest.algorithm,
      {.n_elem = evaluate::elements_of(largest), .dtype = largest.dtype, .op = largest.op});
  check_plan(largest);
  check_memory(points, request.parallel.threads);
  say_other_sizes(points);
  if (const std::string file = request.own.as<Options>().output_file; !file.empty())
    report::require_output("-J", file, request.outputs);
}

evaluate::Simulated simulate_all(const evaluate::EvaluationRequest& request) {
  std::vector<evaluate::CclPoint> points = points_of(request);
  for (evaluate::CclPoint& point : points)
    point.parallel = {.threads = request.parallel.of_each(points.size()),
                      .progress = request.parallel.progress};
  return evaluate::simulate_rows(
      wanted_rows(request, points.size()), request.parallel, evaluate::BeginWith::last,
      [&](std::size_t i) { return simulate(points[i]); }, "sizes",
      [&](std::size_t i) {
        return fmt::format("{} of {}", to_string(points[i].size), points[i].algorithm.name);
      });
}

void write(const evaluate::EvaluationRequest& request, const evaluate::Simulated& simulated) {
  const std::string file = request.own.as<Options>().output_file;
  if (file.empty()) return;
  report::write_file(file,
                     json_as_utf8(boost::json::serialize(nccl_tests_json(
                         simulated, evaluate::works_in_place_alone(points_of(request).front().algorithm)))) +
                         "\n");
  if (request.parallel.progress) report::say_written(file);
}

std::vector<std::string> to_pick_from(const OptionValues& own, const config::CclSpec& ccl) {
  std::vector<std::string> names;
  for (const auto& [name, algorithm] : ccl.algorithms) {
    if (algorithm.collective == picked_for(own.as<Options>())) names.push_back(name);
  }
  return names;
}

void figures(const evaluate::Rows& rows, const report::OutputFolder& folder) {
  folder.draw(report::sweep_figure(rows));
}

void limit_figures(const evaluate::Rows& rows, const config::MachineSpec& machine,
                   const report::OutputFolder& folder) {
  folder.draw(report::bandwidth_figure(rows, machine.system.sips.link.bandwidth));
}

const bool kRegistered =
    (evaluate::evaluations().add(
         "ccl",
         {.doc = "one collective over a range of sizes, with nccl-tests' flags and columns",
          .run = simulate_all,
          .text = [](const evaluate::Rows& rows) { return ccl_table(rows, report::Columns::usual); },
          .wide_text = [](const evaluate::Rows& rows) { return ccl_table(rows, report::Columns::all); },
          .figures = figures,
          .options = described_options<Options>(),
          .check = check,
          .algorithms = evaluate::Algorithms::one,
          .unused = {{"ccl.*.n_elem", "-b to -e say how large tensors are"},
                     {"ccl.*.reduce_op", "-o stands in its place", "op"}},
          .prints_software = "calls",
          .picks_with = "pick",
          .to_pick_from = to_pick_from,
          .limit_figures = limit_figures,
          .write = write,
          .explained = true,
          .traced = true,
          .times_by_size = true,
          .alone = "a single size (-b SIZE -e SIZE) of a single operation (-o)",
          .foreign = {{"-g", "ranks are packages, --set system.sips.count=N"},
                      {"--ngpus", "ranks are packages, --set system.sips.count=N"},
                      {"-t", "ranks are packages, --set system.sips.count=N"},
                      {"--nthreads", "ranks are packages, --set system.sips.count=N"},
                      {"-z", "each collective is awaited before the next one begins"},
                      {"--blocking", "each collective is awaited before the next one begins"}},
          .bench_of_one = "ccl_allreduce"}),
     true);

}  // namespace
}  // namespace kbsim::app::ccl_bench
