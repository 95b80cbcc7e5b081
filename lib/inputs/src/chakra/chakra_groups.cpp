#include "chakra_groups.hpp"

#include <algorithm>
#include <numeric>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "chakra.pb.h"

namespace kbsim::inputs::chakra {
namespace {

namespace json = boost::json;

[[noreturn]] void refuse_groups(const Node& node, const std::string& text) {
  throw UsageError{fmt::format("node {} '{}': {}", node.id, node.name, text)};
}

// The list inside the text of a Python list with one text.
json::array list_in(const Node& node, const std::string& values) {
  const std::size_t first = values.find("[{");
  const std::size_t last = values.rfind("}]");
  if (first == std::string::npos || last == std::string::npos || last < first) return {};
  boost::system::error_code error;
  json::value list = json::parse(std::string_view{values}.substr(first, last + 2 - first), error);
  if (error || !list.is_array()) refuse_groups(node, "its process groups can't be read");
  return std::move(list).as_array();
}

std::vector<int> ranks_in(const Node& node, const std::string& name, const json::object& group, int ranks) {
  const json::value* list = group.if_contains("ranks");
  if (list == nullptr || !list->is_array())
    refuse_groups(node, fmt::format("process group '{}' has no list of ranks", name));
  std::vector<int> all;
  for (const json::value& rank : list->as_array()) {
    const bool fits = rank.is_int64() && rank.as_int64() >= 0 && rank.as_int64() < ranks;
    if (!fits)
      refuse_groups(node, fmt::format("process group '{}' has a rank beyond 0 to {}", name, ranks - 1));
    all.push_back(static_cast<int>(rank.as_int64()));
  }
  if (all.empty()) {
    all.resize(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
  }
  std::ranges::sort(all);
  return all;
}

void add_groups(const Node& node, const std::string& values, int ranks, StatedGroups& to) {
  for (const json::value& one : list_in(node, values)) {
    const json::value* name = one.is_object() ? one.as_object().if_contains("pg_name") : nullptr;
    if (name == nullptr || !name->is_string()) refuse_groups(node, "a process group without pg_name");
    const std::string text{name->as_string()};
    to[text] = ranks_in(node, text, one.as_object(), ranks);
  }
}

}  // namespace

StatedGroups stated_groups(const Trace& trace, int ranks) {
  StatedGroups all;
  for (const Node& node : trace.nodes) {
    if (node.name.find("process_group:init") == std::string::npos) continue;
    ::kbsim::chakra::IOInfo inputs;
    if (!inputs.ParseFromString(node.inputs)) refuse_groups(node, "inputs that can't be decoded");
    add_groups(node, inputs.values(), ranks, all);
  }
  return all;
}

}  // namespace kbsim::inputs::chakra
