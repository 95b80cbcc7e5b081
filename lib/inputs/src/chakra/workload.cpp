#include "kbsim/inputs/chakra/workload.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"

#include "chakra_graph.hpp"
#include "chakra_records.hpp"
#include "communication_names.hpp"
#include "matching.hpp"

namespace kbsim::inputs::chakra {
namespace {

constexpr std::int64_t kMostPs = std::int64_t{1} << 60;

[[noreturn]] void refuse_item(const WorkItem& item, const std::string& text) {
  throw UsageError{fmt::format("{}: {}", described(item), text)};
}

[[noreturn]] void refuse_circle(const Workload& work, const std::vector<std::uint32_t>& circle) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kShown, circle.size()); ++i)
    names.push_back(described(work.items[circle[i]]));
  throw UsageError{fmt::format("{} in a circle: {}{}",
                               counted(circle.size(), "node waits for itself", "nodes wait for each other"),
                               fmt::join(names, " < "), circle.size() > kShown ? " < ..." : "")};
}

bool communicates(NodeType type) {
  return type == NodeType::send || type == NodeType::receive || type == NodeType::collective;
}

WorkKind kind_of(NodeType type, bool on_cpu) {
  if (communicates(type)) return WorkKind::communication;
  if (type == NodeType::memory_load || type == NodeType::memory_store) return WorkKind::memory;
  if (type != NodeType::compute) return WorkKind::nothing;
  return on_cpu ? WorkKind::cpu : WorkKind::device;
}

void require_known(const WorkItem& item, NodeType type) {
  if (type >= NodeType::metadata && type <= NodeType::collective) return;
  refuse_item(item, fmt::format("its type is {}, expected {} to {}", static_cast<std::int32_t>(type),
                                static_cast<std::int32_t>(NodeType::metadata),
                                static_cast<std::int32_t>(NodeType::collective)));
}

// A communication needs a node of its own.
void require_no_communication(const WorkItem& item, NodeType type, const Meaning& meaning) {
  const bool says_one = meaning.comm_type || !meaning.comm_name.empty() || meaning.comm_size.value_or(0) != 0;
  if (communicates(type) || !says_one || is_communication_kernel(item.name) || is_note_of_call(item.name))
    return;
  throw Unsupported{fmt::format(
      "{}: comm_type or comm_size of a node that isn't COMM_SEND, COMM_RECV or COMM_COLL", described(item))};
}

std::int64_t not_negative(const WorkItem& item, const char* name, std::optional<std::int64_t> value) {
  if (value.value_or(0) < 0) refuse_item(item, fmt::format("{} is {}, expected 0 or more", name, *value));
  return value.value_or(0);
}

std::optional<std::int64_t> in_ps(const WorkItem& item, const char* name, std::uint64_t micros) {
  constexpr std::int64_t kPsInMicro = 1'000'000;
  if (micros > static_cast<std::uint64_t>(kMostPs / kPsInMicro))
    refuse_item(item, fmt::format("{} is {}: more than {}", name, micros, kMostPs / kPsInMicro));
  if (micros == 0) return std::nullopt;
  return static_cast<std::int64_t>(micros) * kPsInMicro;
}

std::optional<std::int64_t> duration_of(const WorkItem& item, const Node& node, const Meaning& meaning) {
  const auto by_field = in_ps(item, "duration_micros", node.duration_micros);
  if (meaning.duration_ps) {
    if (*meaning.duration_ps > kMostPs) refuse_item(item, "duration_ps is too long");
    return not_negative(item, "duration_ps", meaning.duration_ps);
  }
  const auto runtime = static_cast<std::uint64_t>(not_negative(item, "runtime", meaning.runtime_micros));
  return by_field ? by_field : in_ps(item, "runtime", runtime);
}

// Adds the rank to an error in its trace.
template <class Read>
auto of_rank(int rank, const Read& read) {
  try {
    return read();
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("rank {}: {}", rank, error.what())};
  } catch (const Unsupported& error) {
    throw Unsupported{fmt::format("rank {}: {}", rank, error.what())};
  }
}

/// The nodes of one rank, whose items begin at `first`.
class RankReader {
 public:
  RankReader(const Trace& trace, int rank, Workload& work)
      : trace_{trace}, rank_{rank}, first_{static_cast<std::uint32_t>(work.items.size())}, work_{work} {}

  /// Its calls, in an order that its dependencies allow.
  std::vector<Call> read() {
    for (const Node& node : trace_.nodes) add_item(node);
    for (std::uint32_t i = 0; i < trace_.nodes.size(); ++i) add_dependencies(i);
    work_.records += set_records_apart(work_, first_, calls_);
    return ordered_calls();
  }

 private:
  void add_item(const Node& node) {
    WorkItem item{.rank = rank_, .id = node.id, .name = node.name};
    Call call{
        .item = static_cast<std::uint32_t>(work_.items.size()), .type = node.type, .meaning = meaning(node)};
    require_known(item, node.type);
    item.kind = kind_of(node.type, call.meaning.is_cpu_op || is_note_of_call(node.name));
    item.duration_ps = duration_of(item, node, call.meaning);
    item.operations = not_negative(item, "num_ops", call.meaning.num_ops);
    item.bytes = not_negative(item, "tensor_size", call.meaning.tensor_size);
    require_no_communication(item, node.type, call.meaning);
    if (!by_id_.emplace(node.id, call.item).second) refuse_item(item, "another node has the same id");
    if (communicates(node.type)) calls_.push_back(std::move(call));
    work_.items.push_back(std::move(item));
  }

  [[nodiscard]] Meaning meaning(const Node& node) const {
    return of_rank(rank_, [&] { return meaning_of(node); });
  }

  void add_dependencies(std::uint32_t index) {
    const Node& node = trace_.nodes[index];
    std::vector<std::uint64_t> deps = node.control_deps;
    deps.insert(deps.end(), node.data_deps.begin(), node.data_deps.end());
    work_.dependencies += deps.size();
    std::ranges::sort(deps);
    const auto repeated = std::ranges::unique(deps);
    deps.erase(repeated.begin(), repeated.end());
    WorkItem& item = work_.items[first_ + index];
    item.depends_on = static_cast<std::uint32_t>(deps.size());
    for (const std::uint64_t id : deps) {
      const auto before = by_id_.find(id);
      if (before == by_id_.end())
        refuse_item(item, fmt::format("it depends on node {}, which isn't there", id));
      work_.items[before->second].next.push_back(first_ + index);
    }
  }

  std::vector<Call> ordered_calls() {
    Edges edges(trace_.nodes.size());
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      for (const std::uint32_t next : work_.items[first_ + i].next) edges[i].push_back(next - first_);
    }
    const std::vector<std::uint32_t> order = ordered(
        edges, [&](std::uint32_t a, std::uint32_t b) { return trace_.nodes[a].id < trace_.nodes[b].id; });
    if (order.size() < edges.size()) {
      std::vector<std::uint32_t> circle = circle_in(edges, order);
      for (std::uint32_t& item : circle) item += first_;
      refuse_circle(work_, circle);
    }
    std::vector<std::uint32_t> place(edges.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::ranges::sort(calls_, {}, [&](const Call& call) { return place[call.item - first_]; });
    return std::move(calls_);
  }

  const Trace& trace_;
  int rank_;
  std::uint32_t first_;
  Workload& work_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_id_;
  std::vector<Call> calls_;
};

// A communication is one vertex; these follow the items.
void require_no_circle(const Workload& work) {
  const auto items = static_cast<std::uint32_t>(work.items.size());
  const auto vertex = [&](std::uint32_t item) {
    return work.items[item].kind == WorkKind::communication ? items + work.items[item].communication : item;
  };
  Edges edges(items + work.communications.size());
  for (std::uint32_t i = 0; i < items; ++i) {
    for (const std::uint32_t next : work.items[i].next) edges[vertex(i)].push_back(vertex(next));
  }
  const std::vector<std::uint32_t> order = ordered(edges, std::less{});
  if (order.size() == edges.size()) return;
  std::vector<std::uint32_t> circle = circle_in(edges, order);
  for (std::uint32_t& at : circle) {
    if (at >= items) at = work.communications[at - items].items.front();
  }
  refuse_circle(work, circle);
}

}  // namespace

Workload workload_of(const std::vector<Trace>& traces) {
  Workload work{.ranks = static_cast<int>(traces.size()), .groups = {}, .items = {}, .communications = {}};
  std::vector<std::vector<Call>> calls;
  std::vector<StatedGroups> groups;
  for (int rank = 0; rank < work.ranks; ++rank) {
    const Trace& trace = traces[static_cast<std::size_t>(rank)];
    calls.push_back(RankReader{trace, rank, work}.read());
    groups.push_back(of_rank(rank, [&] { return stated_groups(trace, work.ranks); }));
  }
  match(calls, groups, work);
  require_no_circle(work);
  return work;
}

}  // namespace kbsim::inputs::chakra
