// Execution traces of others, and of runs of our own.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/inputs/chakra/workload.hpp"

#include "command.hpp"

namespace kbsim::contract::chakra_test {

using namespace kbsim::test;

namespace {

namespace in = inputs::chakra;
namespace fs = std::filesystem;
namespace json = boost::json;

const std::string kFourSmall =
    "--topology topology.yaml --quiet --json --timing-only --set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1 "
    "--set system.sips.count=4 ";

const std::string kFourTraces =
    "--topology topology.yaml --timing-only --set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1 "
    "--set system.sips.count=4 --bench chakra --workload ";

fs::path empty_folder(const std::string& name) {
  const fs::path folder = written(name, "") + ".d";
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

in::Node collective(std::uint64_t id, std::int64_t type, std::int64_t bytes) {
  return {.id = id,
          .name = "coll",
          .type = in::NodeType::collective,
          .control_deps = {},
          .data_deps = {},
          .attributes = {in::attribute("comm_type", type), in::attribute("comm_size", bytes)}};
}

in::Node compute(std::uint64_t id, std::uint64_t micros, std::uint64_t after) {
  return {.id = id,
          .name = "op",
          .type = in::NodeType::compute,
          .control_deps = {after},
          .data_deps = {},
          .duration_micros = micros};
}

in::Node message(std::uint64_t id, in::NodeType type, std::int64_t peer) {
  return {.id = id,
          .name = "p2p",
          .type = type,
          .control_deps = {},
          .data_deps = {},
          .attributes = {in::attribute(type == in::NodeType::send ? "comm_dst" : "comm_src", peer),
                         in::attribute("comm_size", std::int64_t{4096})}};
}

void write_trace(const fs::path& folder, int rank, std::vector<in::Node> nodes) {
  std::ofstream file{folder / fmt::format("t.{}.et", rank), std::ios::binary};
  file << in::to_bytes({.attributes = {}, .nodes = std::move(nodes)});
}

boost::json::value result_of(const std::string& arguments) {
  const Outcome outcome = run_kbsim(arguments);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return boost::json::parse(outcome.out);
}

double time_of_workload(const fs::path& folder, const std::string& more = "") {
  return result_of(kFourSmall + "--bench chakra --workload " + folder.string() + more)
      .at("result")
      .at("time_us")
      .to_number<double>();
}

}  // namespace

TEST_CASE("Chakra: a ring all-reduce as a trace takes as long as its algorithm, and computing comes on top") {
  const fs::path folder = empty_folder("chakra-ring");
  for (int rank = 0; rank < 4; ++rank) write_trace(folder, rank, {collective(1, 0, 16384)});
  const std::string ccl =
      "--topology topology.yaml --quiet --json --set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1 "
      "--set system.sips.count=4 --bench ccl --algorithm ring_allreduce_tcm -b 16K -e 16K -c 0";
  const double expected = result_of(ccl).at("rows").at(0).at("time").to_number<double>();
  const double taken = time_of_workload(folder);
  CHECK(std::abs(taken / expected - 1.0) < 0.01);
  CHECK(time_of_workload(folder, " --shuffle-ties 7") == taken);
  for (int rank = 0; rank < 4; ++rank)
    write_trace(folder, rank, {collective(1, 0, 16384), compute(2, 3, 1), compute(3, 4, 2)});
  CHECK(time_of_workload(folder) == doctest::Approx(taken + 7.0));
}

TEST_CASE("Chakra: a communication that CPU and kernels record, too, takes its time once") {
  const fs::path folder = empty_folder("chakra-records");
  for (int rank = 0; rank < 4; ++rank) write_trace(folder, rank, {collective(1, 0, 16384)});
  const double alone = time_of_workload(folder);
  in::Node record = collective(2, 0, 16384);
  record.name = "nccl:all_reduce";
  record.attributes.push_back(in::attribute("is_cpu_op", true));
  in::Node kernel = compute(3, 40, 2);
  kernel.name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
  for (int rank = 0; rank < 4; ++rank) write_trace(folder, rank, {record, collective(1, 0, 16384), kernel});
  CHECK(time_of_workload(folder) == alone);
  const Outcome text = run_kbsim(kFourTraces + folder.string());
  CHECK(text.out.find("8 nodes are records of what other nodes do") != std::string::npos);
  in::Node unknown = collective(1, 0, 16384);
  unknown.attributes.push_back(in::attribute("rw_attrs", std::int64_t{1}));
  for (int rank = 0; rank < 4; ++rank) write_trace(folder, rank, {unknown});
  const Outcome refused = run_kbsim(kFourTraces + folder.string());
  CHECK(refused.exit == 5);
  CHECK(refused.err.find("rank 0: node 1 'coll': attribute 'rw_attrs' isn't known") != std::string::npos);
}

TEST_CASE("Chakra: a rank's row has the times of its device, its CPU and its memory") {
  const fs::path folder = empty_folder("chakra-columns");
  in::Node on_cpu = compute(2, 5, 1);
  on_cpu.attributes.push_back(in::attribute("is_cpu_op", true));
  in::Node load = compute(3, 7, 2);
  load.type = in::NodeType::memory_load;
  for (int rank = 0; rank < 4; ++rank)
    write_trace(folder, rank, {collective(9, 9, 0), compute(1, 3, 9), on_cpu, load});
  const json::value result = result_of(kFourSmall + "--bench chakra --workload " + folder.string());
  for (const json::value& rank : result.at("result").at("by_rank").as_array()) {
    CHECK(rank.at("compute_us") == 3.0);
    CHECK(rank.at("cpu_us") == 5.0);
    CHECK(rank.at("memory_us") == 7.0);
    CHECK(rank.at("exposed_us") == rank.at("communication_us"));
    const double sum = 3.0 + 5.0 + 7.0 + rank.at("communication_us").to_number<double>();
    CHECK(rank.at("end_us").to_number<double>() == doctest::Approx(sum));
  }
  const std::string text = run_kbsim(kFourTraces + folder.string()).out;
  CHECK_MESSAGE(
      text.find("   rank    compute (us)        cpu (us)     memory (us)  communication (us)  "
                "exposed (us)    end (us)\n      0           3.000           5.000           7.000 ") !=
          std::string::npos,
      text);
}

TEST_CASE("Chakra: messages that cross don't wait for each other, in any order of arrival") {
  const fs::path folder = empty_folder("chakra-messages");
  using Type = in::NodeType;
  write_trace(folder, 0, {message(1, Type::receive, 1), message(2, Type::send, 1)});
  write_trace(folder, 1, {message(1, Type::receive, 0), message(2, Type::send, 0)});
  write_trace(folder, 2, {});
  write_trace(folder, 3, {collective(9, 9, 0)});
  const Outcome alone = run_kbsim(kFourSmall + "--bench chakra --workload " + folder.string());
  CHECK(alone.exit == 2);
  CHECK(alone.err.find("rank 3: node 9 'coll': collective 1 of its group") != std::string::npos);
  write_trace(folder, 3, {});
  CHECK(time_of_workload(folder) > 0.0);
}

TEST_CASE(
    "Chakra: no order of simultaneous events changes what kinds of communication that begin at one time "
    "take") {
  const fs::path folder = empty_folder("chakra-ties");
  using Type = in::NodeType;
  constexpr std::int64_t kGather = 3;
  constexpr std::int64_t kScatter = 4;
  constexpr std::int64_t kBarrier = 9;
  const std::vector<in::Node> all{collective(1, kBarrier, 0), collective(2, kScatter, 64),
                                  collective(3, kGather, 64)};
  for (int rank = 0; rank < 4; ++rank) {
    std::vector<in::Node> nodes = all;
    nodes.push_back(message(4, rank % 2 == 0 ? Type::send : Type::receive, rank ^ 1));
    write_trace(folder, rank, nodes);
  }
  std::set<std::string> results;
  for (int seed = 1; seed <= 4; ++seed) {
    const boost::json::value result = result_of(
        fmt::format("{}--bench chakra --workload {} --shuffle-ties {}", kFourSmall, folder.string(), seed));
    results.insert(fmt::format("{} {}", result.at("run").at("simulated_ps").as_int64(),
                               result.at("run").at("digest").as_string().c_str()));
  }
  CHECK(results.size() == 1);
}

TEST_CASE("Chakra: communications that have no room beside each other run one after the other") {
  const fs::path folder = empty_folder("chakra-room");
  const std::int64_t third = 3 << 20;
  const auto write_all = [&](bool in_a_chain) {
    for (int rank = 0; rank < 4; ++rank) {
      std::vector<in::Node> nodes;
      for (std::uint64_t id = 1; id <= 3; ++id) {
        nodes.push_back(collective(id, 0, third));
        if (in_a_chain && id > 1) nodes.back().data_deps = {id - 1};
      }
      write_trace(folder, rank, nodes);
    }
  };
  const std::string small = " --set cube.memory.hbm_bytes_per_pe=4194304";
  write_all(true);
  const double chained = time_of_workload(folder, small);
  write_all(false);
  const double waiting = time_of_workload(folder, small);
  CHECK(waiting == doctest::Approx(chained));
  const boost::json::value result =
      result_of(kFourSmall + "--bench chakra --workload " + folder.string() + small);
  CHECK(result.at("result").at("waited_for_room") == 2);
}

TEST_CASE("Chakra: settings of algorithms and queues that the workload doesn't use are refused") {
  const fs::path folder = empty_folder("chakra-settings");
  for (int rank = 0; rank < 4; ++rank) write_trace(folder, rank, {collective(1, 0, 4096)});
  const std::string run = kFourSmall + "--bench chakra --workload " + folder.string() + " --set ccl.";
  const Outcome other = run_kbsim(run + "algorithms.mesh_allreduce.n_slots=2");
  CHECK(other.exit == 2);
  CHECK(other.err.find("'ring_allreduce_tcm' runs, not 'mesh_allreduce'") != std::string::npos);
  CHECK(run_kbsim(run + "algorithms.ring_allreduce_tcm.n_slots=2").exit == 0);
  CHECK(run_kbsim(run + "algorithms.mesh_allreduce.n_slots=2 --algorithm mesh_allreduce").exit == 0);
  CHECK(run_kbsim(run + "defaults.n_slots=2").exit == 0);
  CHECK(run_kbsim(run + "defaults.buffer_kind=hbm").exit == 2);  // the ring has its own
  for (int rank = 0; rank < 4; ++rank) write_trace(folder, rank, {collective(1, 9, 0)});
  CHECK(run_kbsim(run + "defaults.buffer_kind=hbm").exit == 0);  // a barrier's queues
}

TEST_CASE("Chakra: a machine of another size, and no folder, are refused with the remedy") {
  const fs::path folder = empty_folder("chakra-two");
  for (int rank = 0; rank < 2; ++rank) write_trace(folder, rank, {});
  const Outcome two = run_kbsim(kFourSmall + "--bench chakra --workload " + folder.string());
  CHECK(two.exit == 2);
  CHECK(two.err.find("has 2 ranks, and the machine 4 packages: add --set system.sips.count=2") !=
        std::string::npos);
  CHECK(run_kbsim(kFourSmall + "--bench chakra").err.find("needs --workload DIR") != std::string::npos);
}

TEST_CASE("--chakra: a run's calls by rank, with what each waited for and how long it took") {
  const fs::path folder = empty_folder("chakra-written");
  const Outcome outcome = run_kbsim(kMainJob + " --quiet --chakra " + folder.string());
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const std::vector<fs::path> files = in::trace_files(folder);
  REQUIRE(files.size() == 2);
  std::vector<in::Trace> traces;
  for (const fs::path& file : files) traces.push_back(in::read_trace(file));
  const in::Workload work = in::workload_of(traces);
  REQUIRE(work.communications.size() == 1);
  for (const std::uint32_t item : work.communications[0].items) {
    CHECK(*work.items[item].duration_ps > 0);
    CHECK(work.items[item].depends_on > 0);    // the tensor that it reduces
    CHECK(work.items[item].next.size() == 1);  // is read back then
  }
  CHECK(run_kbsim("--bench ccl -b 64 -e 64 --chakra " + folder.string()).exit == 5);
}

TEST_CASE("Chakra: explain has the times that nodes give on the path") {
  const fs::path folder = empty_folder("chakra-explained");
  REQUIRE(run_kbsim(kMainJob + " --quiet --chakra " + folder.string()).exit == 0);
  const Outcome outcome = run_kbsim("explain --bench chakra --workload " + folder.string() + " --json");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const json::object run = json::parse(outcome.out).as_object();
  const json::value& path = run.at("explain").at("paths").at(0);
  CHECK(path.at("length_ps") == run.at("run").at("simulated_ps"));
  std::int64_t all = 0;
  std::int64_t given = 0;
  for (const json::value& reason : path.at("reasons").as_array()) {
    all += reason.at("ps").to_number<std::int64_t>();
    if (reason.at("name") == "work of a given time") given = reason.at("ps").to_number<std::int64_t>();
  }
  CHECK(all == path.at("length_ps").to_number<std::int64_t>());
  // The given work is the last rank's time outside its only communication.
  const json::value& result = run.at("result");
  double longest = 0.0;
  for (const json::value& rank : result.at("by_rank").as_array()) {
    longest = std::max(longest, 1e6 * (rank.at("end_us").to_number<double>() -
                                       rank.at("communication_us").to_number<double>()));
  }
  CHECK(static_cast<double>(given) == doctest::Approx(longest).epsilon(1e-3));
  const std::string text = run_kbsim("explain --bench chakra --workload " + folder.string()).out;
  CHECK_MESSAGE(text.find("most of it has no key in this list: work of a given time") != std::string::npos,
                text);
}

TEST_CASE("--chakra: files of an earlier run's further ranks go, and no others") {
  const fs::path folder = empty_folder("chakra-again");
  for (const char* name : {"ccl_allreduce.0.et", "ccl_allreduce.2.et", "ccl_allreduce.x.et", "other.3.et"})
    std::ofstream{folder / name} << "old";
  const Outcome outcome = run_kbsim(kMainJob + " --quiet --chakra " + folder.string());
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator{folder}) names.insert(entry.path().filename().string());
  CHECK(names == std::set<std::string>{"ccl_allreduce.0.et", "ccl_allreduce.1.et", "ccl_allreduce.x.et",
                                       "other.3.et"});
  const std::string file = (folder / "other.3.et").string();
  const Outcome refused = run_kbsim(kMainJob + " --quiet --chakra " + file);
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("--chakra " + file + ": " + file + " is a file, expected a folder") !=
        std::string::npos);
}

TEST_CASE("Chakra: an algorithm runs or is refused, and so is what can't fit") {
  const fs::path folder = empty_folder("chakra-refused");
  const std::string run = kFourSmall + "--bench chakra --workload " + folder.string();
  for (int rank = 0; rank < 4; ++rank) write_trace(folder, rank, {collective(1, 0, 64)});
  CHECK(time_of_workload(folder, " --algorithm chunked_ring_allreduce") != time_of_workload(folder));
  CHECK(run_kbsim(run + " --algorithm ring_all_gather").err.find("the workload has no all_gather") !=
        std::string::npos);
  for (int rank = 0; rank < 4; ++rank) write_trace(folder, rank, {collective(1, 0, std::int64_t{1} << 40)});
  const Outcome large = run_kbsim(run);
  CHECK(large.exit == 2);
  CHECK(large.err.find("rank 0: node 1 'coll': comm_size is 1099511627776") != std::string::npos);
  for (int rank = 0; rank < 4; ++rank) write_trace(folder, rank, {collective(1, 9, 0)});
  CHECK(run_kbsim(run + " --buffer-kind sram").err.find("--buffer-kind has no effect") != std::string::npos);
  CHECK(run_kbsim(run + " --algorithm ring_allreduce_tcm").exit == 2);
}

}  // namespace kbsim::contract::chakra_test
