#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <range/v3/view/enumerate.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/report/machine_report.hpp"
#include "kbsim/report/number_text.hpp"

namespace kbsim::report {
namespace {

using topology::LinkGroup;
using topology::Summary;

// The links of each network, if they differ from usual ones.
std::string network_words(const config::NocSpec& noc) {
  constexpr std::array<std::string_view, 3> kLinks{"both ways", "one way (east_south)",
                                                   "one way (north_west)"};
  const auto name = [&](config::NocLinks links) { return kLinks[static_cast<std::size_t>(links)]; };
  if (!noc.has_several())
    return noc.links.front() == config::NocLinks::both ? "" : fmt::format(", {}", name(noc.links.front()));
  std::string text = fmt::format(", {}: ", counted(noc.links.size(), "network"));
  for (const auto& [number, links] : ranges::views::enumerate(noc.links))
    text += fmt::format("{}noc{} {}", number == 0 ? "" : ", ", number, name(links));
  return text;
}

// Rings, one-way links, places without a router, memory channels and their ports.
std::string plan_words(const topology::Graph& graph) {
  const config::NocSpec& noc = graph.spec().cube.noc;
  const config::FloorPlan& plan = graph.plan();
  std::string text;
  if (noc.wrap) text += " of rings";
  text += network_words(noc);
  if (plan.has_holes())
    text += fmt::format(", {} without a router", counted(std::ranges::count(plan.routers, false), "place"));
  if (plan.channels.empty()) return text;
  std::size_t ports = 0;
  for (const std::vector<int>& routers : plan.channels) ports += routers.size();
  return text +
         fmt::format(", {} with {}", counted(plan.channels.size(), "memory channel"), counted(ports, "port"));
}

std::string shape(const topology::Graph& graph) {
  const config::MachineSpec& spec = graph.spec();
  const std::size_t switches = graph.switches().size();
  return fmt::format("{} ({}{}) of {}x{} cubes, {} a cube on a {}x{} NOC{}",
                     counted(spec.system.sips.count, "package"), to_string(spec.system.sips.topology),
                     switches == 0 ? "" : ", " + counted(switches, "switch", "switches"),
                     spec.sip.cube_mesh.w, spec.sip.cube_mesh.h, counted(spec.pes_per_cube(), "PE"),
                     spec.cube.noc.w, spec.cube.noc.h, plan_words(graph));
}

std::string wire(const LinkGroup& group) {
  const std::string longest = to_string(group.longest);
  return group.shortest == group.longest ? longest
                                         : fmt::format("{} to {}", number(to_ns(group.shortest)), longest);
}

std::string link_table(const Summary& s) {
  std::string text = in_role(Role::head, fmt::format("{:<18}{:>8}{:>12}{:>14}   {}", "links", "count",
                                                     "GB/s each", "GB/s in all", "wire delay")) +
                     "\n";
  for (const LinkGroup& group : s.groups) {
    text += fmt::format("  {:<16}{:>8}{:>12}{:>14}   {}\n", to_string(group.link_class), group.count,
                        number(group.bandwidth.gbs()), number(group.total_gbs()), wire(group));
  }
  return text;
}

std::string or_none(const std::optional<double>& gbs) { return gbs ? rate(*gbs) : "none"; }

std::string bisections(const Summary& s) {
  return fmt::format(
      "NOC of a cube {}, cubes of a package {}, packages {}\n"
      "{:<11}(one direction; the least of the straight cuts in x and y that halve the columns or the rows)",
      or_none(s.bisection.noc), or_none(s.bisection.package), or_none(s.bisection.system), "");
}

std::string distances(const MachineReport& machine) {
  const auto& farthest = machine.summary.farthest;
  if (!farthest) return "no two PEs";
  const topology::PathCost& path = farthest->path;
  return fmt::format(
      "{} from PE to PE at most; the slowest way for a control message of {}, nothing else moving:\n"
      "{:<11}{} to {}, {}, {} = {} overhead + {} wire + {} drain",
      counted(farthest->diameter, "hop"), to_string(machine.graph.spec().system.control_bytes), "",
      to_string(machine.graph.node(path.from).at), to_string(machine.graph.node(path.to).at),
      counted(path.hops, "hop"), to_string(path.latency()), number(to_ns(path.overhead)),
      number(to_ns(path.wire)), number(to_ns(path.drain)));
}

}  // namespace

std::string to_text(const MachineReport& machine) {
  const Summary& s = machine.summary;
  const auto line = [](std::string_view name, const std::string& text) {
    return wrapped(fmt::format("{:<11}{}\n", name, text), 11);
  };
  std::string text = line("machine", shape(machine.graph));
  text += line("", fmt::format("{}, {}; {}, {} (each direction counts)", counted(s.cubes, "cube"),
                               counted(s.pes, "PE"), counted(s.nodes, "node"), counted(s.links, "link")));
  text += line("memory", fmt::format("HBM {}, SRAM {}, TCM {}", size(s.hbm), size(s.sram), size(s.tcm)));
  text += line("HBM", fmt::format("{} raw, {} effective", rate(s.hbm_raw_gbs),
                                  s.hbm_effective_gbs ? rate(*s.hbm_effective_gbs) : "unknown"));
  text += line("GEMM", s.macs_per_ns ? fmt::format("{} MAC/ns, {} TFLOP/s", number(*s.macs_per_ns),
                                                   number(*s.tflops(), 1))
                                     : "unknown");
  text += line("bisection", bisections(s));
  text += line("distance", distances(machine));
  return text + "\n" + link_table(s);
}

}  // namespace kbsim::report
