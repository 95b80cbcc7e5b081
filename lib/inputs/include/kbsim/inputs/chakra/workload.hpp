#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/config/collective.hpp"
#include "kbsim/inputs/chakra/chakra_trace.hpp"

namespace kbsim::inputs::chakra {

enum class WorkKind : std::uint8_t { device, cpu, memory, communication, nothing };

/// A node of a rank, and the nodes that wait for it.
struct WorkItem {
  int rank = 0;
  std::uint64_t id = 0;
  std::string name;
  WorkKind kind = WorkKind::nothing;
  std::optional<std::int64_t> duration_ps;  // as the node states it; none: by its operations or bytes
  std::int64_t operations = 0;
  std::int64_t bytes = 0;
  std::uint32_t communication = 0;  // its index among those of the kind
  std::uint32_t depends_on = 0;     // number of nodes it waits for, each counted once
  std::vector<std::uint32_t> next;
};

enum class CommunicationKind : std::uint8_t { collective, gather, scatter, barrier, message };

/// A collective, or a message from the first of its ranks to the second.
struct Communication {
  CommunicationKind kind = CommunicationKind::message;
  config::Collective collective = config::Collective::all_reduce;
  std::size_t group = 0;             // of a collective
  std::vector<int> ranks;            // participants; those of a group in its order
  std::vector<std::uint32_t> items;  // of the participants
  std::int64_t bytes = 0;            // of a rank's input, or of the message
  int root = 0;                      // a rank of the world
};

/// The traces of all ranks as one graph, in which a communication is one step of all participants.
struct Workload {
  int ranks = 0;
  std::size_t dependencies = 0;          // as the files have them
  std::size_t records = 0;               // nodes that record another node's work
  std::vector<std::vector<int>> groups;  // the first is all ranks; then those of pg_name
  std::vector<WorkItem> items;           // by rank, then as in its file
  std::vector<Communication> communications;
};

/// Builds the graph. The k-th collective of a group on one rank matches the k-th on every other, in an order
/// that the dependencies allow, smallest id first. The k-th message of a tag from one rank to another matches
/// its k-th receive. Nodes that record another node's communication don't count (chakra_records.hpp).
/// UsageError, naming rank and node: unknown type, duplicate id, missing dependency, cycle within a rank or
/// across ranks, missing or mismatched peer, sender without comm_size. Unsupported, likewise: collectives
/// over some dimensions alone.
[[nodiscard]] Workload workload_of(const std::vector<Trace>& traces);

}  // namespace kbsim::inputs::chakra
