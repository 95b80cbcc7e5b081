// Nodes and attributes of execution traces that change the work are honoured or refused.
#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/inputs/chakra/chakra_trace.hpp"
#include "kbsim/inputs/chakra/workload.hpp"

namespace kbsim::inputs::chakra::chakra_work_test {
namespace {

using Deps = std::vector<std::uint64_t>;

struct Record {
  const char* name = "x";
  bool cpu = false;
  std::int64_t bytes = 1024;
  std::int64_t type = 0;
  const char* group = nullptr;
  std::uint64_t micros = 0;
  Deps after = {};
};

Node collective(std::uint64_t id, const Record& record) {
  Node node{.id = id,
            .name = record.name,
            .type = NodeType::collective,
            .control_deps = record.after,
            .data_deps = {},
            .duration_micros = record.micros};
  if (record.type >= 0) node.attributes.push_back(attribute("comm_type", record.type));
  if (record.bytes >= 0) node.attributes.push_back(attribute("comm_size", record.bytes));
  if (record.group != nullptr)
    node.attributes.push_back(
        attribute("pg_name", record.group == nullptr ? "" : std::string_view{record.group}));
  node.attributes.push_back(attribute("is_cpu_op", record.cpu));
  return node;
}

Node compute(std::uint64_t id, const char* name, bool cpu, std::uint64_t micros, Deps after = {}) {
  return {.id = id,
          .name = name,
          .type = NodeType::compute,
          .control_deps = std::move(after),
          .data_deps = {},
          .duration_micros = micros,
          .attributes = {attribute("is_cpu_op", cpu)}};
}

Node with(Node node, Attribute one) {
  node.attributes.push_back(std::move(one));
  return node;
}

// Both ranks have the same nodes.
Workload twice(const std::vector<Node>& nodes) {
  const Trace trace{.attributes = {}, .nodes = nodes};
  return workload_of({trace, trace});
}

template <class Refusal>
void refuses(const std::vector<Node>& nodes, const char* text) {
  CHECK_THROWS_WITH_AS((void)twice(nodes), doctest::Contains(text), Refusal);
}

std::size_t number_of(const Workload& work, WorkKind kind) {
  return static_cast<std::size_t>(std::ranges::count(work.items, kind, &WorkItem::kind));
}

}  // namespace

TEST_CASE("Chakra: a communication that the CPU records, too, is one") {
  const Node device = collective(2, {.name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL", .after = {1}});
  const auto beside = [&](const Record& record) { return twice({collective(1, record), device}); };
  for (const Record& record : {Record{.name = "nccl:all_reduce", .cpu = true},
                               Record{.name = "nccl:all_reduce", .cpu = true, .bytes = -1, .type = -1},
                               Record{.name = "c10d::allreduce_", .cpu = true, .bytes = -1, .type = -1},
                               Record{.name = "c10d::allreduce_(0)", .cpu = true, .bytes = -1, .type = -1},
                               Record{.name = "x", .cpu = true, .bytes = -1, .type = -1},
                               Record{.name = "x", .cpu = true, .bytes = 4096},  // the device depends on it
                               Record{.name = "record_param_comms", .cpu = false},
                               Record{.name = "record_param_comms", .cpu = true, .type = -1}}) {
    const Workload work = beside(record);
    REQUIRE(work.communications.size() == 1);
    CHECK(work.communications[0].items == std::vector<std::uint32_t>{1, 3});
    CHECK(work.communications[0].bytes == 1024);
    CHECK(work.records == 2);
    CHECK(number_of(work, WorkKind::cpu) == 2);
  }
  // The record is the CPU's work, for as long as it says.
  const Workload timed = beside({.name = "nccl:all_reduce", .cpu = true, .micros = 7});
  CHECK(*timed.items[0].duration_ps == 7'000'000);
  CHECK(timed.items[0].kind == WorkKind::cpu);
  CHECK(timed.items[1].depends_on == 1);
}

TEST_CASE("Chakra: communications of the CPU that no node of the device does are work") {
  const Node device = collective(9, {.name = "kernel"});
  const auto count = [&](const Record& record) {
    const Workload work = twice({collective(1, record), device});
    CHECK(work.records == 0);
    return work.communications.size();
  };
  CHECK(count({.cpu = true, .bytes = 2048}) == 2);
  CHECK(count({.cpu = true, .type = 2}) == 2);
  CHECK(count({.cpu = false}) == 2);
  CHECK(twice({collective(1, {.cpu = true}), collective(2, {.cpu = true})}).communications.size() == 2);
  CHECK(twice({collective(1, {.cpu = true, .group = "a"}), collective(2, {.group = "b"})}).records == 0);
  // Three nodes of one call by the CPU alone: the note of the call isn't counted.
  const Workload noted = twice({collective(1, {.name = "record_param_comms", .cpu = true}),
                                collective(2, {.name = "nccl:all_reduce", .cpu = true, .after = {1}})});
  CHECK(noted.communications.size() == 1);
  CHECK(noted.communications[0].items == std::vector<std::uint32_t>{1, 3});
  // A note alone states the call as well as another node.
  CHECK(twice({collective(1, {.name = "record_param_comms", .cpu = true})}).communications.size() == 1);
}

TEST_CASE("Chakra: messages that the CPU records, too, are one") {
  const auto message = [](std::uint64_t id, NodeType type, std::int64_t peer, bool cpu) {
    return Node{.id = id,
                .name = "p2p",
                .type = type,
                .control_deps = {},
                .data_deps = {},
                .attributes = {attribute(type == NodeType::send ? "comm_dst" : "comm_src", peer),
                               attribute("comm_size", std::int64_t{64}), attribute("is_cpu_op", cpu)}};
  };
  const auto trace = [](std::vector<Node> nodes) {
    return Trace{.attributes = {}, .nodes = std::move(nodes)};
  };
  const auto ranks = [&](bool cpu) {
    return workload_of(
        {trace({message(1, NodeType::send, 1, true), message(2, NodeType::send, 1, cpu)}),
         trace({message(1, NodeType::receive, 0, true), message(2, NodeType::receive, 0, cpu)})});
  };
  CHECK(ranks(false).communications.size() == 1);
  CHECK(ranks(false).records == 2);
  CHECK(ranks(true).communications.size() == 2);
  Node other = message(1, NodeType::send, 1, false);
  other.attributes.push_back(attribute("comm_src", std::int64_t{1}));
  CHECK_THROWS_WITH_AS((void)workload_of({trace({other}), trace({message(1, NodeType::receive, 0, false)})}),
                       doctest::Contains("rank 0: node 1 'p2p': comm_src is 1, expected its own rank"),
                       UsageError);
}

TEST_CASE("Chakra: a kernel of communication is no computing, and none without a communication") {
  const char* const kernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  const Workload work =
      twice({collective(1, {.name = "nccl:all_reduce", .cpu = true}), compute(2, kernel, false, 50, {1})});
  CHECK(work.communications.size() == 1);
  CHECK(work.records == 2);
  CHECK(work.items[1].kind == WorkKind::nothing);
  refuses<Unsupported>({compute(2, kernel, false, 50)}, "rank 0: node 2 'ncclDevKernel_AllReduce");
  refuses<Unsupported>({collective(1, {.type = 2}), compute(2, kernel, false, 50)},
                       "states its kind and bytes");
  refuses<Unsupported>({collective(1, {}), compute(2, kernel, false, 50), compute(3, kernel, false, 50)},
                       "rank 0: node 3 'ncclDevKernel_AllReduce");
  refuses<Unsupported>({compute(2, "ncclDevKernel_SendRecv", false, 5)}, "a kernel of communication");
  CHECK(twice({collective(1, {.type = 6}), compute(2, "ncclKernel_SendRecv", false, 5)}).records == 2);
  CHECK(twice({compute(1, "gemm", false, 50)}).items[0].kind == WorkKind::device);
}

TEST_CASE(
    "Chakra: a call of NCCL as COMP_NODE is the CPU's work beside its communication, and refused alone") {
  const Node call = compute(1, "nccl:broadcast", true, 3);
  const Workload work = twice({call, collective(2, {.type = 5, .after = {1}})});
  CHECK(work.items[0].kind == WorkKind::cpu);
  CHECK(*work.items[0].duration_ps == 3'000'000);
  refuses<Unsupported>({call}, "rank 0: node 1 'nccl:broadcast': a communication as COMP_NODE");
  refuses<Unsupported>({call, collective(2, {})}, "rank 0: node 1 'nccl:broadcast'");
  CHECK(twice({compute(1, "nccl:barrier", true, 3), collective(2, {})}).communications.size() == 1);
  CHECK(twice({compute(1, "record_param_comms", false, 3)}).items[0].kind == WorkKind::cpu);
}

TEST_CASE("Chakra: operations of the CPU's record are the device's alone") {
  const auto operations = [](Node node) {
    return with(with(std::move(node), attribute("num_ops", std::int64_t{1000})),
                attribute("tensor_size", std::int64_t{64}));
  };
  const Workload work =
      twice({operations(compute(1, "aten::mm", true, 0)), operations(compute(2, "gemm", false, 0, {1}))});
  CHECK(work.items[0].operations == 0);
  CHECK(work.items[0].bytes == 0);
  CHECK(work.items[1].operations == 1000);
  CHECK(work.records == 2);
  const Workload apart =
      twice({operations(compute(1, "aten::mm", true, 0)), operations(compute(2, "gemm", false, 0))});
  CHECK(apart.items[0].operations == 1000);
  CHECK(apart.records == 0);
}

TEST_CASE("Chakra: attributes that change the work or aren't known are refused with their node") {
  const auto refused = [](Attribute one, const char* text) {
    refuses<Unsupported>({with(collective(4, {.name = "c"}), std::move(one))}, text);
  };
  refused(attribute("comm_priority", std::int64_t{2}),
          "rank 0: node 4 'c': attribute comm_priority: a priority of communications isn't simulated");
  refused(attribute("in_split_size", std::string_view{"[1, 3]"}), "parts of different sizes");
  refused(attribute("tensor_loc", std::int64_t{1}), "attribute tensor_loc");
  refused(attribute("rw_attrs", std::int64_t{1}), "rank 0: node 4 'c': attribute 'rw_attrs' isn't known");
  refused(attribute("involved_dims", true),
          "'involved_dims' isn't known, and may change the work: take it out if it doesn't; did you mean "
          "'involved_dim'?");
  refused(std::string{"\x0a\x0d"} + "comm_priority" + "\x42\x03\x0a\x01\x02",
          "attribute comm_priority");  // a list
  for (const Attribute& idle :
       {attribute("comm_priority", std::int64_t{0}), attribute("in_split_size", std::string_view{"[]"}),
        attribute("rf_id", std::int64_t{5}), attribute("op_schema", std::string_view{"aten::mm(Tensor)"}),
        attribute("stream", std::int64_t{7}), attribute("fw_parent", std::int64_t{0})})
    CHECK(twice({with(collective(4, {}), idle)}).communications.size() == 1);
  refuses<Unsupported>({with(compute(1, "gemm", false, 5), attribute("comm_size", std::int64_t{64}))},
                       "rank 0: node 1 'gemm': comm_type or comm_size of a node that isn't COMM_SEND");
}

TEST_CASE("Chakra: attributes whose value says nothing, or two things, are refused") {
  const auto refused = [](Attribute one, const char* text) {
    refuses<UsageError>({with(collective(4, {.group = "a"}), std::move(one))}, text);
  };
  Node words = collective(4, {});
  words.attributes.back() = attribute("is_cpu_op", std::string_view{"perhaps"});
  refuses<UsageError>({words}, "is_cpu_op is neither true nor false");
  words.attributes.back() = attribute("is_cpu_op", std::string_view{"True"});
  CHECK(twice({words}).communications.size() == 1);
  refused(attribute("comm_size", std::int64_t{9}), "attribute comm_size has two values");
  refused(attribute("comm_group", std::int64_t{9}), "its group is 'a' and '9'");
  refused(attribute("involved_dim", true), "involved_dim is no list of bools");
  CHECK(twice({with(collective(4, {}), attribute("comm_group", std::int64_t{9}))}).groups.size() == 2);
  CHECK(twice({with(collective(4, {}), attribute("comm_size", std::int64_t{1024}))}).communications.size() ==
        1);
  const Trace one{.attributes = {},
                  .nodes = {with(collective(1, {}), attribute("comm_tag", std::int64_t{1}))}};
  const Trace two{.attributes = {},
                  .nodes = {with(collective(1, {}), attribute("comm_tag", std::int64_t{2}))}};
  CHECK_THROWS_WITH_AS((void)workload_of({one, two}),
                       doctest::Contains("its comm_tag is 2, but that of rank 0"), UsageError);
}

TEST_CASE("Chakra: groups have the ranks that the trace states") {
  const auto groups = [](const std::string& ranks) {
    const std::string list = "[[{\"pg_name\": \"7\", \"ranks\": [" + ranks + "], \"group_size\": 2}]]";
    return Node{.id = 90,
                .name = "## process_group:init ##",
                .type = NodeType::metadata,
                .control_deps = {},
                .data_deps = {},
                .inputs = std::string{"\x0a"} + static_cast<char>(list.size()) + list};
  };
  const Node call = collective(1, {.group = "7"});
  const auto run = [&](const std::string& first, const std::string& second, bool second_calls = true) {
    return workload_of(
        {Trace{.attributes = {}, .nodes = {groups(first), call}},
         Trace{.attributes = {},
               .nodes = second_calls ? std::vector{groups(second), call} : std::vector<Node>{}}});
  };
  CHECK(run("0, 1", "0, 1").communications.size() == 1);
  CHECK(run("", "").groups.at(1) == std::vector{0, 1});
  CHECK(run("0", "1").communications.size() == 2);  // two groups of one name
  CHECK_THROWS_WITH_AS((void)run("0, 1", "", false), doctest::Contains("but rank 1 has 0 of them"),
                       UsageError);
  CHECK_THROWS_WITH_AS((void)run("1", "0, 1"), doctest::Contains("of its trace hasn't this rank"),
                       UsageError);
  CHECK_THROWS_WITH_AS((void)run("0, 5", "0, 1"), doctest::Contains("has a rank beyond 0 to 1"), UsageError);
}

TEST_CASE("Chakra: a node of another schema is refused") {
  const Trace trace{.attributes = {}, .nodes = {compute(3, "op", false, 1)}};
  std::string bytes = to_bytes(trace);
  bytes[8] = static_cast<char>(bytes[8] + 2);
  bytes += "\x60\x05";  // field 12, as num_ops once was
  CHECK_THROWS_WITH_AS((void)parse_trace("t.0.et", bytes),
                       doctest::Contains("t.0.et: byte 9: node 3 'op' has fields that Chakra's schema"),
                       Unsupported);
}

}  // namespace kbsim::inputs::chakra::chakra_work_test
