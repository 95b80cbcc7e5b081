#include "chakra_recorder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/unwritable.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/report/output_file.hpp"

namespace kbsim::app {
namespace {

namespace in = inputs::chakra;
using host::CallFacts;

// Chakra's comm_types of the collectives that it knows.
constexpr std::array<std::pair<config::Collective, std::int64_t>, 6> kCommTypes{
    {{config::Collective::all_reduce, 0},
     {config::Collective::reduce, 1},
     {config::Collective::all_gather, 2},
     {config::Collective::broadcast, 5},
     {config::Collective::all_to_all, 6},
     {config::Collective::reduce_scatter, 7}}};
constexpr std::int64_t kBarrierType = 9;

void add_number(in::Node& node, const char* name, std::int64_t value) {
  node.attributes.push_back(in::attribute(name, value));
}

// None: the node computes for the call's duration.
std::optional<std::int64_t> type_of(const CallFacts& facts) {
  if (facts.kind == CallFacts::Kind::barrier) return kBarrierType;
  const auto* const row =
      std::ranges::find(kCommTypes, facts.collective, [](const auto& one) { return one.first; });
  return row == kCommTypes.end() ? std::nullopt : std::optional{row->second};
}

void add_collective(in::Node& node, const CallFacts& facts) {
  const std::optional<std::int64_t> type = type_of(facts);
  if (!type) return;
  node.type = in::NodeType::collective;
  add_number(node, "comm_type", *type);
  add_number(node, "comm_size", facts.bytes.count());
  if (facts.collective == config::Collective::broadcast) add_number(node, "comm_src", facts.peer);
  if (facts.collective == config::Collective::reduce) add_number(node, "comm_dst", facts.peer);
  if (facts.group != 0) node.attributes.push_back(in::attribute("pg_name", std::to_string(facts.group)));
}

void add_message(in::Node& node, const CallFacts& facts) {
  const bool sends = facts.kind == CallFacts::Kind::send;
  node.type = sends ? in::NodeType::send : in::NodeType::receive;
  add_number(node, sends ? "comm_dst" : "comm_src", facts.peer);
  add_number(node, "comm_size", facts.bytes.count());
}

void add_facts(in::Node& node, const CallFacts& facts) {
  switch (facts.kind) {
    case CallFacts::Kind::launch: break;
    case CallFacts::Kind::collective:
    case CallFacts::Kind::barrier: return add_collective(node, facts);
    case CallFacts::Kind::send:
    case CallFacts::Kind::receive: return add_message(node, facts);
  }
}

// N of NAME.N.et; none for another file name.
std::optional<std::size_t> rank_in(const std::filesystem::path& file, const std::string& name) {
  const std::string text = file.filename().string();
  constexpr std::string_view kEnd = ".et";
  if (!text.starts_with(name + '.') || !text.ends_with(kEnd)) return std::nullopt;
  if (text.size() < name.size() + 1 + kEnd.size()) return std::nullopt;
  std::size_t rank = 0;
  const char* const last = text.data() + text.size() - kEnd.size();
  const auto [end, problem] = std::from_chars(text.data() + name.size() + 1, last, rank);
  return end == last && problem == std::errc{} ? std::optional{rank} : std::nullopt;
}

// Removes files of an earlier run with more ranks.
void remove_ranks_from(const std::filesystem::path& folder, const std::string& name, std::size_t first) {
  std::error_code error;
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator{folder, error}) {
    const std::optional<std::size_t> rank = rank_in(entry.path(), name);
    if (rank && *rank >= first) old.push_back(entry.path());
  }
  for (const std::filesystem::path& file : old) std::filesystem::remove(file, error);
}

}  // namespace

ChakraRecorder::Strand& ChakraRecorder::strand_of(const Process& process) {
  Strand& strand = strands_[process.id()];
  if (strand.process.id() == nullptr) strand.process = process;
  return strand;
}

ChakraRecorder::Strand& ChakraRecorder::running() { return strand_of(session_.sim().running()); }

void ChakraRecorder::begins(const void* call, const host::WorkId& what, const Process& as) {
  const Strand& by = running();
  Strand& own = strand_of(as);
  own.of_call = true;
  own.ended = by.ended;
  open_.erase(call);
  if (by.of_call) return;  // a part of that call
  open_[call] = calls_.size();
  calls_.push_back({.rank = what.rank,
                    .name = std::string{what.call},
                    .start = session_.sim().now(),
                    .end = session_.sim().now(),
                    .after = by.ended,
                    .facts = {}});
}

void ChakraRecorder::carries(const void* call, const CallFacts& facts) {
  const auto found = open_.find(call);
  if (found != open_.end()) calls_[found->second].facts.push_back(facts);
}

void ChakraRecorder::ends(const void* call) {
  const auto found = open_.find(call);
  if (found != open_.end()) calls_[found->second].end = session_.sim().now();
}

// An awaited call implies the calls that it came after.
void ChakraRecorder::awaited(const void* call) {
  const auto found = open_.find(call);
  if (found == open_.end()) return;
  Calls& ended = running().ended;
  for (const std::size_t before : calls_[found->second].after) ended.erase(before);
  ended.insert(found->second);
}

void ChakraRecorder::forks(const Process& program) {
  const Calls known = running().ended;
  strand_of(program).ended = known;
}

void ChakraRecorder::joins(const Process& program) {
  const Calls known = strand_of(program).ended;
  Calls& ended = running().ended;
  for (const std::size_t call : known) {
    for (const std::size_t before : calls_[call].after) ended.erase(before);
  }
  ended.insert(known.begin(), known.end());
}

in::Node ChakraRecorder::node_of(const Call& call, std::uint64_t id) {
  constexpr std::int64_t kPsInMicro = 1'000'000;
  const std::int64_t took = (call.end - call.start).count();
  return {.id = id,
          .name = as_utf8(call.name),
          .type = in::NodeType::compute,
          .control_deps = {},
          .data_deps = {},
          .start_time_micros = static_cast<std::uint64_t>(call.start.count() / kPsInMicro),
          .duration_micros = static_cast<std::uint64_t>(took / kPsInMicro),
          .attributes = {in::attribute("is_cpu_op", call.facts.empty()), in::attribute("duration_ps", took)}};
}

std::vector<in::Trace> ChakraRecorder::traces() const {
  int ranks = 1;
  for (const Call& call : calls_) ranks = std::max(ranks, call.rank + 1);
  std::vector<in::Trace> all(static_cast<std::size_t>(ranks));
  std::vector<std::vector<std::uint64_t>> ids(calls_.size());  // of a call's nodes
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const Call& call = calls_[i];
    std::vector<in::Node>& nodes = all[static_cast<std::size_t>(call.rank)].nodes;
    for (std::size_t part = 0; part < std::max<std::size_t>(1, call.facts.size()); ++part) {
      in::Node node = node_of(call, nodes.size());
      for (const std::size_t before : call.after) {
        if (calls_[before].rank == call.rank)
          node.control_deps.insert(node.control_deps.end(), ids[before].begin(), ids[before].end());
      }
      if (part < call.facts.size()) add_facts(node, call.facts[part]);
      ids[i].push_back(node.id);
      nodes.push_back(std::move(node));
    }
  }
  return all;
}

void ChakraRecorder::write(const std::string& folder, const std::string& name) const {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UsageError{fmt::format("--chakra {}: {}", folder, why_unwritable(folder, error))};
  const std::vector<in::Trace> all = traces();
  remove_ranks_from(folder, name, all.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    report::write_file(std::filesystem::path{folder} / fmt::format("{}.{}.et", name, rank),
                       in::to_bytes(all[rank]));
}

}  // namespace kbsim::app
