#include "kbsim/evaluate/ccl_point.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/ccl/ranks.hpp"
#include "kbsim/report/run_trace.hpp"
#include "kbsim/topology/sip_network.hpp"

namespace kbsim::evaluate {
namespace {

// The name in nccl-tests comes first, then those in PyTorch, in C and in kbsim.
struct TypeNames {
  DType dtype;
  std::array<std::string_view, 4> names;
};
constexpr std::array<TypeNames, 7> kTypes{{{f16, {"half", "float16", "fp16", "f16"}},
                                           {bf16, {"bfloat16", "bf16"}},
                                           {f32, {"float", "float32", "fp32", "f32"}},
                                           {f64, {"double", "float64", "fp64", "f64"}},
                                           {DType::i8, {"int8", "char", "i8"}},
                                           {DType::u8, {"uint8", "u8"}},
                                           {i32, {"int32", "int", "i32"}}}};
// Types that exist elsewhere but not in these collectives, so they are no typing errors.
constexpr std::array<std::string_view, 16> kOtherTypes{
    "int16",  "short", "i16",  "int64",  "long",   "i64",    "uint16",        "uint32",
    "uint64", "i4",    "bool", "float8", "f8e4m3", "f8e5m2", "float8_e4m3fn", "float8_e5m2"};
constexpr std::array kReductions{Reduction::sum, Reduction::prod, Reduction::max, Reduction::min,
                                 Reduction::avg};

// Per mille of the kernels' time (those of warm-ups, too) that each link between packages was busy, as one
// word for a table's cell: "0>1:423 1>0:17".
std::string package_links(const hw::Fabric& fabric, const CollectiveRun& run) {
  std::string all;
  const auto& nodes = fabric.graph().nodes();
  const double window = to_ns(run.kernels);
  for (const hw::LiveLink& link : fabric.links()) {
    const int from = nodes[link.from.value()].at.sip;
    const int to = nodes[link.to.value()].at.sip;
    if (from < 0 || to < 0 || from == to) continue;
    const double busy = to_ns(use_of(link.lane).busy);
    all += fmt::format("{}{}>{}:{:.0f}", all.empty() ? "" : " ", from, to, 1000.0 * busy / window);
  }
  return all;
}

// The time that a library adds to such a call, if the machine has it.
std::optional<Time> software_of(const CclPoint& point) {
  const auto& calls = point.machine.software.calls;
  const auto call =
      std::ranges::find(calls, to_string(point.algorithm.collective), &config::CallSoftwareSpec::collective);
  if (call == calls.end() || ccl::ranks_are_pes(point.algorithm)) return std::nullopt;
  return call->call + topology::SipNetwork{point.machine.system.sips}.diameter() * call->hop;
}

// The last of the calls that count: as long as each of them, if they are equal.
StatedTime last_call(const CclPoint& point, const CollectiveRun& run) {
  const int calls = point.repeats.iterations;
  std::string of = fmt::format("{} on {}", point.algorithm.name,
                               counted(ccl::ranks_of(point.algorithm, point.machine), "rank"));
  if (calls > 1) of += fmt::format(", the last of {} calls", calls);
  return {.of = std::move(of),
          .begin = run.slowest.back().called,
          .end = run.why,
          .kernel = point.algorithm.kernel};
}

// The larger one of input and output counts.
std::int64_t shares_of(const ccl::CollectiveEntry& row, int ranks) {
  return std::max(row.shares_in(ranks), row.shares_out(ranks));
}

// Elements that a share is a multiple of: the number of a plan's chunks in it.
std::int64_t unit_of(const config::AlgorithmSpec& algorithm, std::int64_t shares) {
  const ccl::Plan* plan = ccl::plan_of(algorithm);
  if (plan == nullptr) return 1;
  return shares == 1 ? plan->chunks : plan->share();
}

// Thread blocks that wait for each other, as those of an average do, read words of memory. They need numbers
// even without a check.
bool needs_values(const CclPoint& point) {
  const ccl::Plan* plan = ccl::plan_of(point.algorithm);
  const bool waits = plan != nullptr && (point.op == Reduction::avg || ccl::has_waits(*plan));
  return point.repeats.check || waits;
}

}  // namespace

DType dtype_named(const std::string& name) {
  std::vector<std::string> known;
  std::vector<std::string> expected;
  for (const auto& [dtype, names] : kTypes) {
    if (!name.empty() && std::ranges::find(names, name) != names.end()) return dtype;
    for (const std::string_view each : names) {
      if (!each.empty()) known.emplace_back(each);
    }
    expected.emplace_back(names.front());
  }
  if (std::ranges::find(kOtherTypes, name) != kOtherTypes.end())
    throw UsageError{
        fmt::format("-d {}: collectives don't have this type; expected {}", name, fmt::join(expected, ", "))};
  throw UsageError{fmt::format("-d {}: no such type{}", name, name_hint(name, known))};
}

std::string nccl_name(DType dtype) {
  return std::string{std::ranges::find(kTypes, dtype, &TypeNames::dtype)->names.front()};
}

Reduction reduction_named(const std::string& name) {
  std::vector<std::string> known;
  for (const Reduction op : kReductions) {
    if (to_string(op) == name) return op;
    known.emplace_back(to_string(op));
  }
  throw UsageError{fmt::format("-o {}: no such operation{}", name, name_hint(name, known))};
}

std::int64_t elements_of(const CclPoint& point) {
  const ccl::CollectiveEntry& row = ccl::collective_of(point.algorithm);
  const int ranks = ccl::ranks_of(point.algorithm, point.machine);
  const std::int64_t share = point.size.count() / itemsize(point.dtype) / shares_of(row, ranks);
  const std::int64_t unit = unit_of(point.algorithm, shares_of(row, ranks));
  return std::max<std::int64_t>(1, share / unit) * unit * row.shares_in(ranks);
}

Bytes measured_size(const CclPoint& point) {
  const ccl::CollectiveEntry& row = ccl::collective_of(point.algorithm);
  const int ranks = ccl::ranks_of(point.algorithm, point.machine);
  const std::int64_t count = elements_of(point) / row.shares_in(ranks) * shares_of(row, ranks);
  return Bytes{count * itemsize(point.dtype)};
}

namespace {

// NCCL also works in place on an all-gather and a reduce-scatter: one tensor is the rank's share of the
// other. A plan works as it was written. With several PEs per rank, no slice has an address of its own.
bool has_in_place_form(const CclPoint& point) {
  return ccl::collective_of(point.algorithm).has_in_place_form() &&
         ccl::plan_of(point.algorithm) == nullptr && !ccl::ranks_are_pes(point.algorithm) &&
         std::ssize(ccl::participants_of(point.algorithm, point.machine)) == point.machine.system.sips.count;
}

enum class Buffers { as_the_kernel_has_them, in_place };

boost::json::object simulate(const CclPoint& point, Buffers buffers) {
  const std::int64_t n = elements_of(point);
  const ccl::CollectiveEntry& row = ccl::collective_of(point.algorithm);
  const bool values = needs_values(point);
  const CollectiveData data{point.machine,
                            point.algorithm,
                            {.n_elem = n,
                             .dtype = point.dtype,
                             .op = point.op,
                             .root = point.root,
                             .values = values,
                             .in_place = buffers == Buffers::in_place}};
  host::SessionOptions how = point.question.session();
  how.timing_only = !values;
  how.threads = point.trace == nullptr ? point.parallel.threads : 1;
  host::Session session{point.machine, point.algorithm, how};
  say_one_thread(point.parallel, session.one_thread_because());
  const explain::OpMarks marks{session.sim(), session.log()};
  host::World world;
  host::Rank main{session, world, 0};
  CollectiveRun run;
  (void)session.sim().spawn("ccl", main.run(run_collective(main, &data, point.repeats, &run)));
  const auto run_it = [&] { evaluate::run(session, point.question); };
  if (point.trace == nullptr) {
    run_it();
  } else {
    point.trace->during(session.machine(), "kbsim ccl " + point.algorithm.name, run_it);
  }

  const int ranks = ccl::ranks_of(point.algorithm, point.machine);
  const std::int64_t size = measured_size(point).count();
  const double ns = run.mean_latency_ns();
  const double algbw = static_cast<double>(size) / ns;
  const double factor = row.bus_factor(data.combined());
  const auto if_checked = [&](auto found) {
    return run.checked ? boost::json::value(found) : boost::json::value(nullptr);
  };
  boost::json::object found{
      {"size", size},
      {"count", n},
      {"type", nccl_name(point.dtype)},
      {"redop", row.combines ? boost::json::string{to_string(point.op)} : boost::json::string{"none"}},
      {"root", row.has_root ? point.root : -1},
      {"time", ns / 1000.0},
      {"alg_bw", algbw},
      {"bus_bw", algbw * factor},
      {"nwrong", if_checked(run.wrong)},
      {"kernel_us", run.mean_kernel_ns() / 1000.0},
      {"algorithm", point.algorithm.name},
      {"buffer_kind", to_string(point.algorithm.buffer_kind)},
      {"sip_topology", to_string(point.machine.system.sips.topology)},
      {"package_links", package_links(session.machine().fabric(), run)},
      {"world_size", ranks},
      {"correct", if_checked(run.wrong == 0)},
      {"simulated_ns", to_ns(session.sim().now())},
      {"events", session.machine().events()}};
  if (const std::optional<Time> software = software_of(point))
    found["with_software"] = (ns + to_ns(*software)) / 1000.0;
  explain_row(found, point.question, last_call(point, run), session, marks);
  return found;
}

// Repeats the simulation in place, without the questions, which are about the first one.
void add_in_place(const CclPoint& point, boost::json::object& found) {
  CclPoint again = point;
  again.trace = nullptr;
  again.question = {.shuffle_ties = point.question.shuffle_ties,
                    .exact_packets = point.question.exact_packets};
  const boost::json::object in_place = simulate(again, Buffers::in_place);
  for (const char* column : {"time", "alg_bw", "bus_bw", "nwrong"})
    found[fmt::format("in_place_{}", column)] = in_place.at(column);
  if (found.at("correct").is_bool())
    found["correct"] = found.at("correct").as_bool() && in_place.at("correct").as_bool();
  found["simulated_ns"] =
      found.at("simulated_ns").to_number<double>() + in_place.at("simulated_ns").to_number<double>();
  found["events"] =
      found.at("events").to_number<std::uint64_t>() + in_place.at("events").to_number<std::uint64_t>();
}

}  // namespace

bool works_in_place_alone(const config::AlgorithmSpec& algorithm) {
  const ccl::Plan* const plan = ccl::plan_of(algorithm);
  return ccl::collective_of(algorithm).in_place || (plan != nullptr && plan->in_place);
}

boost::json::object simulate(const CclPoint& point) {
  boost::json::object found = simulate(point, Buffers::as_the_kernel_has_them);
  if (has_in_place_form(point)) add_in_place(point, found);
  return found;
}

}  // namespace kbsim::evaluate
