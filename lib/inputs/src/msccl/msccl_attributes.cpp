// The single table of attributes of MSCCL's elements.
#include "msccl_attributes.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

#include "shown.hpp"

namespace kbsim::inputs::msccl {
namespace {

using Names = std::span<const std::string_view>;

// Attributes read by xml.cpp.
constexpr auto kAlgo = std::to_array<std::string_view>(
    {"name", "proto", "nchannels", "nchunksperloop", "ngpus", "coll", "inplace", "redop",
     // idle: sizes and forms that make a scheduler pick the plan, and sums over its steps
     "outofplace", "minBytes", "maxBytes", "min_bytes", "max_bytes", "nthreadblocks", "maxcount", "xmlns"});
constexpr auto kGpu = std::to_array<std::string_view>({"id", "i_chunks", "o_chunks", "s_chunks"});
constexpr auto kBlock = std::to_array<std::string_view>({"id", "send", "recv", "chan"});
constexpr auto kStep = std::to_array<std::string_view>(
    {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep"});

Names known_of(std::string_view element) {
  if (element == "algo") return kAlgo;
  if (element == "gpu") return kGpu;
  return element == "tb" ? Names{kBlock} : Names{kStep};
}

// Sums stand for the operation of the run's -o.
void require_sum(const Element& algo) {
  constexpr auto kNeutral = std::to_array<std::string_view>({"", "sum", "nop", "none"});
  if (!algo.has("redop") || std::ranges::find(kNeutral, algo.text("redop")) != kNeutral.end()) return;
  throw Unsupported{fmt::format("{}: redop '{}' of a plan isn't run: its sums stand for -o of the run",
                                to_string(algo.place("redop")), shown(algo.text("redop")))};
}

}  // namespace

void require_known_attributes(const Element& element) {
  const Names known = known_of(element.name());
  std::set<std::string_view> seen;
  element.each_attribute([&](const char* name) {
    if (!seen.insert(name).second) throw element.error(name, fmt::format("{} stands twice", shown(name)));
    if (std::ranges::find(known, name) != known.end()) return;
    throw Unsupported{
        fmt::format("{}: attribute '{}' of <{}> isn't known, and may change the plan: take it out "
                    "if it doesn't{}",
                    to_string(element.place(name)), shown(name), element.name(), near_hint(name, known))};
  });
  require_sum(element);
}

}  // namespace kbsim::inputs::msccl
