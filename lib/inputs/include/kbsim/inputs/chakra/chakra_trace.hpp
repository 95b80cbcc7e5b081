#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs::chakra {

/// Unsupported, naming the packages, if kbsim was built without protobuf; so are all functions here that read
/// or write a trace.
void require_traces();

/// An attribute, encoded as in the file.
using Attribute = std::string;
[[nodiscard]] Attribute attribute(std::string_view name, std::int64_t value);
[[nodiscard]] Attribute attribute(std::string_view name, bool value);
[[nodiscard]] Attribute attribute(std::string_view name, std::string_view text);
Attribute attribute(std::string_view name, const char* text) = delete;

enum class NodeType : std::int32_t {
  invalid = 0,
  metadata = 1,
  memory_load = 2,
  memory_store = 3,
  compute = 4,
  send = 5,
  receive = 6,
  collective = 7,
};

struct Node {
  std::uint64_t id = 0;
  std::string name;
  NodeType type = NodeType::invalid;
  std::vector<std::uint64_t> control_deps;
  std::vector<std::uint64_t> data_deps;
  std::uint64_t start_time_micros = 0;
  std::uint64_t duration_micros = 0;
  std::string inputs = {};  // encoded
  std::string outputs = {};
  std::vector<Attribute> attributes = {};

  friend bool operator==(const Node&, const Node&) = default;
};

/// The trace of one rank.
struct Trace {
  std::vector<std::string> versions = {"0.0.4"};  // one; from some converters, attributes
  std::vector<Attribute> attributes;
  std::vector<Node> nodes;

  friend bool operator==(const Trace&, const Trace&) = default;
};

/// The attributes of a node that have a meaning here. An integer may be written as any kind of integer, of
/// either sign, as a bool, a whole floating-point number or a text of digits.
struct Meaning {
  std::optional<std::int64_t> duration_ps;
  std::optional<std::int64_t> runtime_micros;  // runtime: in older converters beside the node's duration
  std::optional<std::int64_t> num_ops, tensor_size;
  std::optional<std::int64_t> comm_type, comm_size, comm_src, comm_dst, comm_tag;
  std::string comm_name;  // comm_type as a text that is no number
  bool is_cpu_op = false;
  bool all_dims = true;  // involved_dim: every one
  std::string group;     // pg_name, or comm_group
};

/// UsageError that names node and attribute if one can't be decoded. Unsupported if one is unknown or changes
/// the work in another way.
[[nodiscard]] Meaning meaning_of(const Node& node);

/// InputError with the byte at which the trace becomes invalid.
[[nodiscard]] Trace parse_trace(const std::string& name, std::string_view bytes);
[[nodiscard]] Trace read_trace(const std::filesystem::path& file);
/// The inverse of parse_trace().
[[nodiscard]] std::string to_bytes(const Trace& trace);

/// The files of a folder, NAME.RANK.et or NAMErank.et, by rank. UsageError unless there is one for each rank
/// from 0 on.
[[nodiscard]] std::vector<std::filesystem::path> trace_files(const std::filesystem::path& folder);

}  // namespace kbsim::inputs::chakra
