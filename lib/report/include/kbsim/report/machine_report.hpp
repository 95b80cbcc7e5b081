#pragma once

#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "kbsim/topology/summary.hpp"

namespace kbsim::report {

/// A compiled machine and what is known of it before anything runs.
struct MachineReport {
  const topology::Graph& graph;
  const topology::Figures& figures;
  const topology::Summary& summary;
};

/// Tables for people.
[[nodiscard]] std::string to_text(const MachineReport& machine);

/// "summary", every node and every link; what no model says is null.
[[nodiscard]] boost::json::object to_json(const MachineReport& machine);

/// Graphviz, positions pinned, a cluster a package and a cube; draw it with `neato -n2`.
[[nodiscard]] std::string to_dot(const topology::Graph& graph);

/// Whether shapes of a drawing say by data-of which node they stand for ("sip0.cube3"; "@.pe1" of whichever
/// cube is enlarged), or which two nodes' links ("sip0|sip1").
enum class SvgNames : std::uint8_t { none, all };

/// A drawing for a slide: the packages where they are, one cube enlarged, and a legend. Equal machines give
/// equal text.
[[nodiscard]] std::string to_svg(const MachineReport& machine, SvgNames names = SvgNames::none);

}  // namespace kbsim::report
