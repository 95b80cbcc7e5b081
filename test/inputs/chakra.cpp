#include <chrono>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/inputs/chakra/chakra_trace.hpp"
#include "kbsim/inputs/chakra/workload.hpp"

namespace kbsim::inputs::chakra::chakra_test {
namespace {

Node collective(std::uint64_t id, std::int64_t type, std::int64_t bytes,
                std::vector<std::uint64_t> deps = {}) {
  return {.id = id,
          .name = "coll",
          .type = NodeType::collective,
          .control_deps = {},
          .data_deps = std::move(deps),
          .attributes = {attribute("comm_type", type), attribute("comm_size", bytes)}};
}

Node message(std::uint64_t id, NodeType type, std::int64_t peer, std::int64_t tag,
             std::vector<std::uint64_t> deps = {}) {
  return {.id = id,
          .name = "p2p",
          .type = type,
          .control_deps = {},
          .data_deps = std::move(deps),
          .attributes = {attribute(type == NodeType::send ? "comm_dst" : "comm_src", peer),
                         attribute("comm_size", std::int64_t{64}), attribute("comm_tag", tag)}};
}

Node compute(std::uint64_t id, std::uint64_t micros, std::vector<std::uint64_t> deps = {}) {
  return {.id = id,
          .name = "op",
          .type = NodeType::compute,
          .control_deps = std::move(deps),
          .data_deps = {},
          .duration_micros = micros};
}

Trace trace(std::vector<Node> nodes) { return {.attributes = {}, .nodes = std::move(nodes)}; }

void refuses(const std::vector<Trace>& traces, const char* text) {
  CHECK_THROWS_WITH_AS((void)workload_of(traces), doctest::Contains(text), UsageError);
}

}  // namespace

TEST_CASE("Chakra: read, write, read is the identity") {
  Node node = collective(7, 0, 1 << 20, {1, 2, 2});
  node.control_deps = {1};
  node.start_time_micros = 12;
  node.duration_micros = 34;
  node.inputs = std::string{"\x0a\x03[1]"};
  node.outputs = std::string{"\x0a\x03[2]"};
  node.attributes.push_back(attribute("is_cpu_op", false));
  node.attributes.push_back(attribute("pg_name", std::string_view{"\xff tp"}));
  const Trace written{
      .versions = {"0.0.4"}, .attributes = {attribute("schema", std::string_view{"x"})}, .nodes = {node, {}}};
  const std::string bytes = to_bytes(written);
  const Trace back = parse_trace("t.0.et", bytes);
  CHECK(back == written);
  CHECK(to_bytes(back) == bytes);
}

TEST_CASE("Chakra: an integer may be of any kind and sign") {
  const auto size_of = [](const std::string& value) {
    return *meaning_of({.attributes = {std::string{"\x0a\x09"} + "comm_size" + value}}).comm_size;
  };
  CHECK(size_of("\x38\x2a") == 42);                                      // int32
  CHECK(size_of("\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") == -1);  // int64
  CHECK(size_of("\x58\x2a") == 42);                                      // uint32
  CHECK(size_of("\x68\x2a") == 42);                                      // uint64
  CHECK(size_of("\x78\x53") == -42);                                     // sint32
  CHECK(size_of(std::string{"\x9d\x01\x2a\x00\x00\x00", 6}) == 42);      // fixed32
  CHECK(meaning_of({.attributes = {attribute("is_cpu_op", true)}}).is_cpu_op);
  CHECK(!meaning_of({}).is_cpu_op);
  CHECK(size_of(std::string{"\x19\x00\x00\x00\x00\x00\x00\x45\x40", 9}) == 42);  // double
  CHECK(size_of(std::string{"\x2d\x00\x00\x28\x42", 5}) == 42);                  // float
  CHECK(*meaning_of({.attributes = {attribute("comm_size", std::string_view{"42"})}}).comm_size == 42);
  CHECK_THROWS_AS((void)size_of(std::string{"\x2d\x00\x00\x29\x42", 5}), UsageError);  // 42.25
  CHECK_THROWS_AS((void)size_of(std::string{"\x19\x00\x00\x00\x00\x00\x00\xf8\x7f", 9}), UsageError);
  CHECK_THROWS_AS((void)meaning_of({.attributes = {attribute("comm_size", std::string_view{"big"})}}),
                  UsageError);
  CHECK_THROWS_AS((void)meaning_of({.attributes = {"\x0a\x7f"}}), UsageError);
}

TEST_CASE("Chakra: attributes in the place of a version are kept; a file without metadata is reported") {
  const std::string schema = attribute("schema", std::string_view{"1.1"});
  const Trace written{.versions = {schema, schema}, .attributes = {}, .nodes = {compute(1, 2)}};
  CHECK(parse_trace("t.0.et", to_bytes(written)) == written);
  const std::string bytes = to_bytes(written);
  const auto metadata = static_cast<std::size_t>(bytes.front()) + 1;
  CHECK_THROWS_WITH_AS((void)parse_trace("t.0.et", std::string_view{bytes}.substr(metadata)),
                       doctest::Contains("t.0.et: byte 0: a node, expected GlobalMetadata before"),
                       InputError);
}

TEST_CASE("Chakra: a file that isn't a trace is reported with its byte") {
  const std::string good = to_bytes(trace({compute(1, 2)}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    if (size == 8) continue;  // the metadata alone: no nodes
    CHECK_THROWS_AS((void)parse_trace("t.0.et", std::string_view{good}.substr(0, size)), InputError);
  }
  CHECK(parse_trace("t.0.et", std::string_view{good}.substr(0, 8)).nodes.empty());
  CHECK_THROWS_WITH_AS((void)parse_trace("t.0.et", "\x7f\x01"),
                       doctest::Contains("t.0.et: byte 0: metadata of 127 bytes, but only 1 are left"),
                       InputError);
  CHECK_THROWS_AS((void)parse_trace("t.0.et", "\xff\xff\xff\xff\xff\xff\xff"), InputError);
}

TEST_CASE("Chakra: comm_type may be a name, as exporters write it; a wrong one is reported with its node") {
  const auto named = [](const char* name) {
    Node node = collective(3, 0, 64);
    node.attributes.front() = attribute("comm_type", std::string_view{name});
    return workload_of({trace({node}), trace({node})}).communications.front();
  };
  using config::Collective;
  for (const char* name : {"ALL_REDUCE", "allreduce", "AllReduce", "all-reduce", "nccl:all_reduce",
                           "c10d::allreduce_", "CollectiveCommType.ALL_REDUCE", "allreduce_coalesced", "0"})
    CHECK(named(name).collective == Collective::all_reduce);
  for (const char* name : {"ALL_GATHER", "nccl:_all_gather_base", "all_gather_into_tensor_coalesced"})
    CHECK(named(name).collective == Collective::all_gather);
  for (const char* name : {"ReduceScatter", "nccl:_reduce_scatter_base", "reduce_scatter_tensor"})
    CHECK(named(name).collective == Collective::reduce_scatter);
  CHECK(named("all_to_all_single").collective == Collective::all_to_all);
  CHECK(named("BROADCAST").collective == Collective::broadcast);
  CHECK(named("nccl:reduce").collective == Collective::reduce);
  CHECK(named("gather").kind == CommunicationKind::gather);
  CHECK(named("barrier").kind == CommunicationKind::barrier);
  Node wrong = collective(3, 0, 64);
  wrong.attributes.front() = attribute("comm_type", std::string_view{"ALL_REDCE"});
  refuses({trace({wrong})},
          "rank 0: node 3 'coll': comm_type is 'ALL_REDCE', expected 0 to 9 or a collective's name, did you "
          "mean 'ALL_REDUCE'?");
}

TEST_CASE("Chakra: a collective is one step of all ranks, a message of two") {
  const std::vector<Trace> traces{
      trace({compute(1, 5), collective(2, 0, 1024, {1}), message(3, NodeType::send, 1, 9, {2})}),
      trace({collective(5, 0, 1024), message(6, NodeType::receive, 0, 9, {5, 5})})};
  const Workload work = workload_of(traces);
  CHECK(work.ranks == 2);
  CHECK(work.dependencies == 4);
  REQUIRE(work.communications.size() == 2);
  CHECK(work.communications[0].items == std::vector<std::uint32_t>{1, 3});
  CHECK(work.communications[0].bytes == 1024);
  CHECK(work.communications[1].kind == CommunicationKind::message);
  CHECK(work.communications[1].ranks == std::vector<int>{0, 1});
  CHECK(work.items[4].depends_on == 1);
  CHECK(*work.items[0].duration_ps == 5'000'000);
}

TEST_CASE(
    "Chakra: a rank that calls a group's collectives is in it; orders of independent nodes don't matter") {
  Node first = collective(1, 0, 64);
  first.attributes.push_back(attribute("pg_name", std::string_view{"pair"}));
  const Workload work = workload_of({trace({first}), trace({}), trace({first})});
  REQUIRE(work.groups.size() == 2);
  CHECK(work.groups[1] == std::vector<int>{0, 2});
  // The k-th collectives of all ranks match, in the order of ids, wherever they stand in the files.
  const Workload swapped = workload_of({trace({collective(1, 0, 64), collective(2, 2, 64)}),
                                        trace({collective(9, 2, 64), collective(8, 0, 64)})});
  CHECK(swapped.communications[0].items == std::vector<std::uint32_t>{0, 3});
}

TEST_CASE("Chakra: a collective over some dimensions needs a name of its group") {
  const auto over = [](std::string list, const char* group) {
    Node node = collective(1, 0, 64);
    const std::string name = "involved_dim";
    node.attributes.push_back(std::string{"\x0a\x0c"} + name + "\xe2\x01" + static_cast<char>(list.size()) +
                              list);
    if (group != nullptr) node.attributes.push_back(attribute("pg_name", std::string_view{group}));
    return std::vector<Trace>{trace({node}), trace({node})};
  };
  // Values are in one piece, or each after its tag.
  const std::string all{"\x0a\x02\x01\x01", 4};
  const std::string some{"\x0a\x02\x00\x01", 4};
  const std::string some_apart{"\x08\x00\x08\x01", 4};
  CHECK(workload_of(over(all, nullptr)).communications.size() == 1);
  CHECK(workload_of(over("", nullptr)).communications.size() == 1);
  for (const std::string& list : {some, some_apart}) {
    CHECK_THROWS_WITH_AS((void)workload_of(over(list, nullptr)),
                         doctest::Contains("name its ranks by pg_name"), Unsupported);
    CHECK(workload_of(over(list, "dp")).groups.at(1) == std::vector<int>{0, 1});
  }
  refuses(over("\x0a\x7f", nullptr), "an involved_dim that can't be decoded");
}

TEST_CASE("Chakra: duration_ps comes before duration_micros, operations count without either") {
  Node exact = compute(1, 5);
  exact.attributes = {attribute("duration_ps", std::int64_t{1234})};
  Node by_ops = compute(2, 0);
  by_ops.attributes = {attribute("num_ops", std::int64_t{1000}), attribute("is_cpu_op", true)};
  const Workload work = workload_of({trace({exact, by_ops})});
  CHECK(*work.items[0].duration_ps == 1234);
  CHECK(!work.items[1].duration_ps);
  CHECK(work.items[1].operations == 1000);
  CHECK(work.items[1].kind == WorkKind::cpu);
}

TEST_CASE("Chakra: an attribute runtime is a duration in microseconds, where the node has none") {
  Node node = compute(1, 0);
  node.attributes = {attribute("runtime", std::int64_t{7})};
  Node both = compute(2, 5);
  both.attributes = node.attributes;
  const Workload work = workload_of({trace({node, both})});
  CHECK(*work.items[0].duration_ps == 7'000'000);
  CHECK(*work.items[1].duration_ps == 5'000'000);
  node.attributes = {attribute("runtime", std::int64_t{-7})};
  refuses({trace({node})}, "rank 0: node 1 'op': runtime is -7, expected 0 or more");
}

TEST_CASE("Chakra: a receive may leave its size to the send") {
  Node receive = message(3, NodeType::receive, 0, 0);
  std::erase_if(receive.attributes,
                [](const Attribute& one) { return one.find("comm_size") != Attribute::npos; });
  const Workload work = workload_of({trace({message(1, NodeType::send, 1, 0)}), trace({receive})});
  CHECK(work.communications[0].bytes == 64);
}

TEST_CASE("Chakra: circles are reported, of one rank and over several") {
  refuses({trace({compute(1, 1, {2}), compute(2, 1, {1})})}, "2 nodes wait for each other in a circle");
  refuses({trace({compute(1, 1, {1})})}, "1 node waits for itself in a circle: rank 0: node 1 'op'");
  // Each rank receives before it sends.
  refuses({trace({message(1, NodeType::receive, 1, 0), message(2, NodeType::send, 1, 0, {1})}),
           trace({message(1, NodeType::receive, 0, 0), message(2, NodeType::send, 0, 0, {1})})},
          "in a circle");
}

TEST_CASE("Chakra: a missing or wrong partner is reported with rank and node") {
  refuses({trace({compute(1, 1), compute(1, 1)})}, "rank 0: node 1 'op': another node has the same id");
  refuses({trace({compute(1, 1, {9})})}, "rank 0: node 1 'op': it depends on node 9, which isn't there");
  refuses({trace({collective(1, 0, 64), collective(2, 0, 64)}), trace({collective(1, 0, 64)})},
          "rank 0: node 2 'coll': collective 2 of its group on this rank, but rank 1 has 1 of them");
  refuses({trace({collective(1, 0, 64)}), trace({collective(1, 2, 64)})},
          "ALL_GATHER of 64 bytes meets ALL_REDUCE");
  refuses({trace({collective(1, 0, 64)}), trace({collective(1, 0, 65)})}, "ALL_REDUCE of 65 bytes meets");
  Node rooted = collective(1, 5, 64);
  rooted.attributes.push_back(attribute("comm_src", std::int64_t{1}));
  refuses({trace({rooted}), trace({collective(1, 5, 64)})}, "its root is rank 0, but that of rank 0: node 1");
  refuses({trace({collective(1, 12, 64)})}, "comm_type is 12, expected 0 to 9");
  refuses({trace({collective(1, 0, -64)})}, "comm_size is -64");
  rooted.attributes.back() = attribute("comm_src", std::int64_t{5});
  refuses({trace({rooted}), trace({rooted})},
          "rank 0: node 1 'coll': its root, rank 5, is none of its group");
  refuses({trace({message(1, NodeType::send, 1, 0)}), trace({})},
          "rank 1 has no receive for this message (tag 0)");
  refuses({trace({message(1, NodeType::receive, 1, 3)}), trace({message(1, NodeType::send, 0, 4)})},
          "has no send for it (tag 3)");
  refuses({trace({message(1, NodeType::send, 7, 0)}), trace({})},
          "comm_dst is 7, expected another rank of 0 to 1");
}

TEST_CASE("Chakra: nodes of unknown types, and sizes that miss, aren't taken for nothing") {
  for (const int type : {-1, 0, 8, 99}) {
    Node node = compute(3, 1);
    node.type = static_cast<NodeType>(type);
    refuses({trace({node})},
            fmt::format("rank 0: node 3 'op': its type is {}, expected 1 to 7", type).c_str());
  }
  Node sized = collective(1, 0, 64);
  sized.attributes.pop_back();
  refuses({trace({sized})}, "rank 0: node 1 'coll': what it sends has no comm_size");
  Node sent = message(1, NodeType::send, 1, 0);
  sent.attributes.erase(sent.attributes.begin() + 1);
  refuses({trace({sent}), trace({message(1, NodeType::receive, 0, 0)})}, "what it sends has no comm_size");
  Node barrier = collective(1, 9, 0);
  barrier.attributes.pop_back();
  CHECK(workload_of({trace({barrier})}).communications.front().bytes == 0);
}

TEST_CASE("Chakra: 200 000 redundant dependencies load in under a second") {
  std::vector<Node> nodes;
  std::vector<std::uint64_t> many;
  for (std::uint64_t i = 0; i < 200; ++i) many.push_back(i);
  for (std::uint64_t i = 0; i < 1200; ++i)
    nodes.push_back(compute(i, 0, i < 200 ? std::vector<std::uint64_t>{} : many));
  const std::string bytes = to_bytes(trace(std::move(nodes)));
  const auto start = std::chrono::steady_clock::now();
  const Workload work = workload_of({parse_trace("t.0.et", bytes)});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(work.dependencies == 200'000);
  MESSAGE(took.count());
}

TEST_CASE("Chakra: the files of a folder are a rank each") {
  const std::filesystem::path folder = std::filesystem::path{KBSIM_BINARY} / "chakra-files";
  std::filesystem::remove_all(folder);
  CHECK_THROWS_WITH_AS((void)trace_files(folder), doctest::Contains("no such folder"), UsageError);
  std::filesystem::create_directories(folder);
  CHECK_THROWS_WITH_AS((void)trace_files(folder), doctest::Contains("no file NAME.RANK.et"), UsageError);
  const auto add = [&](const char* name) { std::ofstream{folder / name} << "x"; };
  add("t.1.et");
  add("notes.txt");
  CHECK_THROWS_WITH_AS((void)trace_files(folder), doctest::Contains("rank 0 has no file, but rank 1 has"),
                       UsageError);
  add("t.0.et");
  CHECK(trace_files(folder) == std::vector{folder / "t.0.et", folder / "t.1.et"});
  CHECK_THROWS_WITH_AS((void)trace_files(folder / "t.0.et"),
                       doctest::Contains("is a file, expected the folder of all ranks' traces, as "),
                       UsageError);
  add("u1.et");
  CHECK_THROWS_WITH_AS((void)trace_files(folder), doctest::Contains("both rank 1's"), UsageError);
}

TEST_CASE("Chakra: an all-reduce of four ranks by others, where it is there") {
  const std::filesystem::path folder = std::filesystem::path{KBSIM_SOURCE_DIR} / "../shared/inputs/chakra";
  if (!std::filesystem::exists(folder)) return;
  std::vector<Trace> traces;
  for (const auto& file : trace_files(folder)) {
    traces.push_back(read_trace(file));
    CHECK(parse_trace("again", to_bytes(traces.back())) == traces.back());
  }
  const Workload work = workload_of(traces);
  CHECK(work.ranks == 4);
  REQUIRE(work.communications.size() == 1);
  CHECK(work.communications[0].bytes == 1 << 20);
}

}  // namespace kbsim::inputs::chakra::chakra_test
