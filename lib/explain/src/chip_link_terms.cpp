// Terms of links: their rate and wire, and of links from chip to chip their latency, frames and least times.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "kbsim/topology/link_class.hpp"
#include "kbsim/topology/sip_network.hpp"

#include "terms.hpp"

namespace kbsim::explain {
namespace {

using hw::Reason;
using topology::LinkClass;

// A link's part of the file.
struct LinkSection {
  std::string name;                            // "system.sips.link"
  std::string bw_key;                          // "system.sips.link.bw_gbs"
  const config::ChipLinkSpec* wire = nullptr;  // of a link from chip to chip
};

constexpr std::array<std::string_view, topology::kLinkClasses> kBandwidthKeys{
    "system.host_link.bw_gbs", "system.sips.link.bw_gbs",  "sip.io.link.bw_gbs", "sip.ucie_link.bw_gbs",
    "cube.noc.link_bw_gbs",    "cube.noc.link_bw_gbs",     "pe.link_bw_gbs",     "pe.link_bw_gbs",
    "cube.xbar_to_hbm_bw_gbs", "cube.floorplan.hbm.bw_gbs"};

// A member of the network of packages: a package or a switch.
int member_of(const topology::Graph& graph, NodeId end) {
  const topology::Node& node = graph.node(end);
  if (node.at.sip >= 0) return node.at.sip;
  const std::vector<NodeId>& switches = graph.switches();
  return graph.spec().system.sips.count +
         static_cast<int>(std::ranges::find(switches, end) - switches.begin());
}

// The number of a listed wire. A package has a port for each of its wires. Between two switches it is the
// first wire that is alike.
int listed_wire(const topology::Graph& graph, const topology::Link& link) {
  const config::SipsSpec& sips = graph.spec().system.sips;
  const int from = member_of(graph, link.from);
  const int to = member_of(graph, link.to);
  const auto& ports = graph.network().ports(from);
  const auto number_at = [&](NodeId end, int member) {
    const std::vector<NodeId>& own = graph.sips()[static_cast<std::size_t>(member)].ports;
    return graph.network()
        .ports(member)[static_cast<std::size_t>(std::ranges::find(own, end) - own.begin())]
        .listed;
  };
  if (!graph.network().is_switch(from)) return number_at(link.from, from);
  if (!graph.network().is_switch(to)) return number_at(link.to, to);
  const auto alike = [&](const topology::SipPort& port) {
    const config::ChipLinkSpec& wire = topology::SipNetwork::wire(sips, port);
    const bool frames_alike = link.framing != nullptr ? link.framing == &wire : !wire.is_framed();
    return port.peer == to && wire.rate() == link.bandwidth && wire.length_mm == link.length_mm &&
           link.wire == from_ns(link.length_mm * graph.spec().system.ns_per_mm) + wire.latency &&
           frames_alike;
  };
  return std::ranges::find_if(ports, alike)->listed;
}

LinkSection section_of(const topology::Graph& graph, const topology::Link& link) {
  const LinkClass link_class = topology::link_class(graph, link);
  const config::MachineSpec& spec = graph.spec();
  LinkSection all{.name = "", .bw_key = std::string{kBandwidthKeys[static_cast<std::size_t>(link_class)]}};
  if (link_class == LinkClass::ucie) {
    all.name = "sip.ucie_link";
    all.wire = &spec.sip.ucie_link;
  } else if (link_class == LinkClass::package && !spec.system.sips.is_listed()) {
    all.name = "system.sips.link";
    all.wire = &spec.system.sips.link;
  } else if (link_class == LinkClass::package) {
    const int number = listed_wire(graph, link);
    all.name = "system.sips.links." + std::to_string(number);
    all.bw_key = all.name + ".bw_gbs";
    all.wire = &spec.system.sips.links[static_cast<std::size_t>(number)];
  }
  return all;
}

// The parts of a packet on a framed link.
struct Framed {
  Bytes sent;  // with all frames
  std::int64_t frames = 0;
  Time at_rate{};  // those bytes over the rate
  Time least{};    // but it takes at least this long
};

// As config::ChipLinkSpec::service().
Framed framed(const config::ChipLinkSpec& wire, Bytes packet) {
  Framed all{.sent = packet + wire.frame.header};
  if (wire.frame.payload > 0_B) all.frames = ceil_div(all.sent.count(), wire.frame.payload.count());
  all.sent += wire.frame.overhead * all.frames;
  all.at_rate = wire.rate().serialization(all.sent);
  all.least = wire.has_processor() ? Time{0} : wire.send_time();
  return all;
}

// A part of the time that grows with the bytes of a header or of a frame, beside the rate.
Term of_bytes(std::string key, Bytes value, double ns_per_byte, const Framed& packet,
              const Segment& segment) {
  Term term =
      latency(std::move(key), static_cast<double>(value.count()), Time{0}, segment.count, ns_per_byte);
  term.unit = "B";
  const Time each = term.at(term.value);
  term.time = segment.count * each;
  term.floor = std::max(Time{0}, packet.least - (packet.at_rate - each));
  term.shared = true;
  return term;
}

// Where the least time decides, no rate matters, and the other way round.
std::vector<Term> of_packets(const Segment& segment, const LinkSection& link) {
  const config::ChipLinkSpec& wire = *link.wire;
  const Framed packet = framed(wire, Bytes{segment.amount});
  if (packet.least > packet.at_rate) {
    Term least = latency(link.name + ".packet_ns", to_ns(wire.packet), segment.length(), segment.count,
                         1.0 / wire.channels);
    least.floor = packet.at_rate;
    return {least};
  }
  Segment sent = segment;
  sent.amount = packet.sent.count();
  const double gbs = wire.rate().gbs();
  std::vector<Term> terms{rate(link.bw_key, wire.bandwidth.gbs(), gbs, segment.length(), sent)};
  if (wire.efficiency < 1.0) {
    terms.push_back(rate(link.name + ".efficiency", wire.efficiency, gbs, segment.length(), sent));
    terms.back().unit = "";
    terms.back().shared = true;
  }
  for (Term& term : terms) term.floor = packet.least;
  const config::FrameSpec& frame = wire.frame;
  const bool has_frames = packet.frames > 0 && frame.overhead > 0_B;
  if (has_frames)
    terms.push_back(of_bytes(link.name + ".frame.overhead_bytes", frame.overhead,
                             static_cast<double>(packet.frames) / gbs, packet, segment));
  // With frames, a longer header may need one more of them.
  if (frame.header > 0_B && !has_frames)
    terms.push_back(of_bytes(link.name + ".frame.header_bytes", frame.header, 1.0 / gbs, packet, segment));
  return terms;
}

// The processor of a port, which sends a packet or receives one.
std::vector<Term> of_port(const Segment& segment, const LinkSection& link) {
  const bool receives = segment.amount > 0;
  const config::ChipLinkSpec& wire = *link.wire;
  return {latency(link.name + (receives ? ".receive_ns" : ".packet_ns"),
                  to_ns(receives ? wire.receive : wire.packet), segment.length(), segment.count,
                  1.0 / wire.channels)};
}

std::vector<Term> of_wire(const Segment& segment, const LinkSection& section, const topology::Graph& graph) {
  const topology::Link& link = graph.link(LinkId{segment.place});
  const Time delay = section.wire != nullptr ? section.wire->latency : Time{0};
  std::vector<Term> terms;
  if (delay > Time{0})
    terms.push_back(
        latency(section.name + ".latency_ns", to_ns(delay), segment.count * delay, segment.count));
  if (delay > Time{0} && link.length_mm == 0.0) return terms;
  terms.push_back({.key = "system.ns_per_mm",
                   .unit = "ns/mm",
                   .value = graph.spec().system.ns_per_mm,
                   .time = segment.length() - segment.count * delay,
                   .count = link.length_mm * static_cast<double>(segment.count),
                   .times = segment.count});
  return terms;
}

}  // namespace

Term of_rate(const Segment& segment, const topology::Graph& graph) {
  const topology::Link& link = graph.link(LinkId{segment.place});
  const LinkSection section = section_of(graph, link);
  const double stated = section.wire != nullptr ? section.wire->bandwidth.gbs() : link.bandwidth.gbs();
  return rate(section.bw_key, stated, link.bandwidth.gbs(), segment.length(), segment);
}

std::vector<Term> of_link(const Segment& segment, const topology::Graph& graph) {
  const LinkSection section = section_of(graph, graph.link(LinkId{segment.place}));
  if (segment.reason == Reason::port_time) return of_port(segment, section);
  if (segment.reason == Reason::wire) return of_wire(segment, section, graph);
  return section.wire != nullptr ? of_packets(segment, section) : std::vector{of_rate(segment, graph)};
}

}  // namespace kbsim::explain
