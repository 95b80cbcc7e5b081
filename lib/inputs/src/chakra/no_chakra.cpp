// Compiled in place of what reads and writes execution traces of Chakra where protobuf is missing.
#include "kbsim/base/built_without.hpp"
#include "kbsim/inputs/chakra/chakra_trace.hpp"

#include "chakra_groups.hpp"

namespace kbsim::inputs::chakra {
namespace {

Unsupported refusal() {
  return built_without("execution traces of Chakra", "libprotobuf-dev and protobuf-compiler");
}

}  // namespace

void require_traces() { throw refusal(); }

Attribute attribute(std::string_view, std::int64_t) { throw refusal(); }
Attribute attribute(std::string_view, bool) { throw refusal(); }
Attribute attribute(std::string_view, std::string_view) { throw refusal(); }

Trace parse_trace(const std::string&, std::string_view) { throw refusal(); }
Trace read_trace(const std::filesystem::path&) { throw refusal(); }
std::string to_bytes(const Trace&) { throw refusal(); }

Meaning meaning_of(const Node&) { throw refusal(); }
StatedGroups stated_groups(const Trace&, int) { throw refusal(); }

}  // namespace kbsim::inputs::chakra
