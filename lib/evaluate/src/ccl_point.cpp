#include "kbsim/evaluate/ccl_point.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/ccl/ranks.hpp"

namespace kbsim::evaluate {
namespace {

constexpr std::array<std::pair<const char*, DType>, 17> kDtypes{{{"half", f16},
                                                                 {"bfloat16", DType::bf16},
                                                                 {"float", f32},
                                                                 {"double", DType::f64},
                                                                 {"int8", DType::i8},
                                                                 {"uint8", DType::u8},
                                                                 {"int32", DType::i32},
                                                                 {"f16", f16},
                                                                 {"bf16", DType::bf16},
                                                                 {"f32", f32},
                                                                 {"f64", DType::f64},
                                                                 {"i8", DType::i8},
                                                                 {"u8", DType::u8},
                                                                 {"i32", DType::i32},
                                                                 {"fp16", f16},
                                                                 {"fp32", f32},
                                                                 {"fp64", DType::f64}}};
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

// Of the input and the output the larger one counts.
std::int64_t shares_of(const ccl::CollectiveEntry& row, int ranks) {
  return std::max(row.shares_in(ranks), row.shares_out(ranks));
}

}  // namespace

DType dtype_named(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [word, dtype] : kDtypes) {
    if (word == name) return dtype;
    known.emplace_back(word);
  }
  throw UsageError{fmt::format("-d {}: no such type{}", name, name_hint(name, known))};
}

std::string nccl_name(DType dtype) {
  return std::ranges::find(kDtypes, dtype, [](const auto& entry) { return entry.second; })->first;
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
  const ccl::CollectiveEntry& row = ccl::collective(point.algorithm.collective);
  const int ranks = ccl::ranks_of(point.algorithm, point.machine);
  const std::int64_t share = point.size.count() / itemsize(point.dtype) / shares_of(row, ranks);
  return std::max<std::int64_t>(1, share) * row.shares_in(ranks);
}

boost::json::object simulate(const CclPoint& point) {
  const std::int64_t n = elements_of(point);
  const ccl::CollectiveEntry& row = ccl::collective(point.algorithm.collective);
  const bool values = point.repeats.check;
  const CollectiveData data{
      point.machine,
      point.algorithm,
      {.n_elem = n, .dtype = point.dtype, .op = point.op, .root = point.root, .values = values}};
  host::Session session{point.machine, point.algorithm, {.replay_threads = 1, .timing_only = !values}};
  host::World world;
  host::Rank main{session, world, 0};
  CollectiveRun run;
  (void)session.sim().spawn("ccl", main.run(run_collective(main, &data, point.repeats, &run)));
  session.run();

  const int ranks = ccl::ranks_of(point.algorithm, point.machine);
  const std::int64_t count = n / row.shares_in(ranks) * shares_of(row, ranks);
  const std::int64_t size = count * itemsize(point.dtype);
  const double ns = run.mean_latency_ns();
  const double algbw = static_cast<double>(size) / ns;
  const double factor = row.bus_factor(data.combined());
  const auto if_checked = [&](auto found) {
    return run.checked ? boost::json::value(found) : boost::json::value(nullptr);
  };
  return {{"size", size},
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
          {"events", session.sim().events()}};
}

}  // namespace kbsim::evaluate
