#include "kbsim/inputs/chakra/chakra_trace.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "kbsim/base/input_file.hpp"

#include "chakra.pb.h"

namespace kbsim::inputs::chakra {
namespace {

namespace schema = ::kbsim::chakra;
using WireFormat = google::protobuf::internal::WireFormatLite;

constexpr std::size_t kLargestTrace = std::size_t{1} << 30U;

/// The messages of a stream, each after its length.
class Messages {
 public:
  Messages(const std::string& name, std::string_view bytes) : name_{name}, bytes_{bytes} {}

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

  template <class Message>
  void next(Message& message, std::string_view what) {
    const std::size_t begin = at_;
    const std::uint64_t size = length(what);
    if (size > bytes_.size() - at_)
      refuse(begin, fmt::format("{} of {} bytes, but only {} are left", what, size, bytes_.size() - at_));
    if (!message.ParseFromArray(bytes_.data() + at_, static_cast<int>(size)))
      refuse(begin, fmt::format("{} that can't be decoded", what));
    at_ += size;
    size_ = size;
  }

  // Nodes have a type; metadata has none.
  void require_metadata() const {
    schema::Node node;
    if (node.ParseFromArray(bytes_.data() + at_ - size_, static_cast<int>(size_)) && node.type() != 0)
      refuse(0, "a node, expected GlobalMetadata before the first one");
  }

  // Refuses fields beyond the schema.
  void require_known(const schema::Node& node) const {
    constexpr int kLast = schema::Node::kAttrFieldNumber;
    google::protobuf::io::CodedInputStream fields{
        reinterpret_cast<const std::uint8_t*>(bytes_.data()) + at_ - size_, static_cast<int>(size_)};
    while (const std::uint32_t tag = fields.ReadTag()) {
      if (WireFormat::GetTagFieldNumber(tag) > kLast)
        throw Unsupported{
            fmt::format("{}: byte {}: node {} '{}' has fields that Chakra's schema 0.0.4 hasn't", name_,
                        at_ - size_, node.id(), node.name())};
      if (!WireFormat::SkipField(&fields, tag)) return;
    }
  }

 private:
  std::uint64_t length(std::string_view what) {
    std::uint64_t value = 0;
    const std::size_t begin = at_;
    for (unsigned shift = 0; shift < 35 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0 && value <= std::numeric_limits<int>::max()) return value;
    }
    refuse(begin, fmt::format("the length of {} isn't one", what));
  }

  [[noreturn]] void refuse(std::size_t at, const std::string& text) const {
    throw InputError{{.file = name_},
                     fmt::format("byte {}: {} (is this a Chakra execution trace?)", at, text)};
  }

  std::string name_;
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;  // of the last message
};

template <class From>
std::vector<std::string> texts(const From& from) {
  return {from.begin(), from.end()};
}

Node to_node(schema::Node& from) {
  return {.id = from.id(),
          .name = std::move(*from.mutable_name()),
          .type = static_cast<NodeType>(from.type()),
          .control_deps = {from.ctrl_deps().begin(), from.ctrl_deps().end()},
          .data_deps = {from.data_deps().begin(), from.data_deps().end()},
          .start_time_micros = from.start_time_micros(),
          .duration_micros = from.duration_micros(),
          .inputs = std::move(*from.mutable_inputs()),
          .outputs = std::move(*from.mutable_outputs()),
          .attributes = texts(from.attr())};
}

schema::Node to_message(const Node& node) {
  schema::Node to;
  to.set_id(node.id);
  to.set_name(node.name);
  to.set_type(static_cast<std::int32_t>(node.type));
  to.mutable_ctrl_deps()->Add(node.control_deps.begin(), node.control_deps.end());
  to.mutable_data_deps()->Add(node.data_deps.begin(), node.data_deps.end());
  to.set_start_time_micros(node.start_time_micros);
  to.set_duration_micros(node.duration_micros);
  to.set_inputs(node.inputs);
  to.set_outputs(node.outputs);
  for (const Attribute& attribute : node.attributes) to.add_attr(attribute);
  return to;
}

template <class Message>
void append(const Message& message, std::string& bytes) {
  const std::string encoded = message.SerializeAsString();
  std::uint64_t size = encoded.size();
  for (; size >= 0x80; size >>= 7U) bytes += static_cast<char>((size & 0x7fU) | 0x80U);
  bytes += static_cast<char>(size);
  bytes += encoded;
}

template <class Set>
Attribute encoded(std::string_view name, const Set& set) {
  schema::Attribute attribute;
  attribute.set_name(std::string{name});
  set(attribute);
  return attribute.SerializeAsString();
}

}  // namespace

void require_traces() {}

Attribute attribute(std::string_view name, std::int64_t value) {
  return encoded(name, [&](schema::Attribute& to) { to.set_int64_val(value); });
}

Attribute attribute(std::string_view name, bool value) {
  return encoded(name, [&](schema::Attribute& to) { to.set_bool_val(value); });
}

Attribute attribute(std::string_view name, std::string_view text) {
  return encoded(name, [&](schema::Attribute& to) { to.set_string_val(std::string{text}); });
}

Trace parse_trace(const std::string& name, std::string_view bytes) {
  Messages messages{name, bytes};
  Trace trace;
  schema::GlobalMetadata first;
  messages.next(first, "metadata");
  messages.require_metadata();
  trace.versions = texts(first.version());
  trace.attributes = texts(first.attr());
  schema::Node node;
  while (!messages.at_end()) {
    messages.next(node, "a node");
    messages.require_known(node);
    trace.nodes.push_back(to_node(node));
    node.Clear();
  }
  return trace;
}

Trace read_trace(const std::filesystem::path& file) {
  return parse_trace(file.string(), read_input(file, file.string(), kLargestTrace));
}

std::string to_bytes(const Trace& trace) {
  std::string bytes;
  schema::GlobalMetadata first;
  for (const std::string& version : trace.versions) first.add_version(version);
  for (const Attribute& attribute : trace.attributes) first.add_attr(attribute);
  append(first, bytes);
  for (const Node& node : trace.nodes) append(to_message(node), bytes);
  return bytes;
}

}  // namespace kbsim::inputs::chakra
