#pragma once

#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "kbsim/topology/summary.hpp"

namespace kbsim::report {

/// A compiled machine and what is known of it before a run.
struct MachineReport {
  const topology::Graph& graph;
  const topology::Figures& figures;
  const topology::Summary& summary;
};

/// Tables for people.
[[nodiscard]] std::string to_text(const MachineReport& machine);

/// "summary", every node and every link; null where the model states no value.
[[nodiscard]] boost::json::object to_json(const MachineReport& machine);

/// Graphviz, positions pinned, one cluster per package and cube; draw it with `neato -n2`.
[[nodiscard]] std::string to_dot(const topology::Graph& graph);

/// Whether shapes of a drawing name their node in data-of ("sip0.cube3"; "@.pe1" in the enlarged cube,
/// whichever it is), or the two nodes of their links ("sip0|sip1").
enum class SvgNames : std::uint8_t { none, all };

/// A drawing for a slide: the packages where they are, one cube enlarged, and a legend. Equal machines give
/// equal text.
[[nodiscard]] std::string to_svg(const MachineReport& machine, SvgNames names = SvgNames::none);

}  // namespace kbsim::report
