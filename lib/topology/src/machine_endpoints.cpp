#include "machine_endpoints.hpp"

#include <utility>

#include <range/v3/view/enumerate.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/topology/sip_grid.hpp"

#include "network_builder.hpp"

namespace kbsim::topology {
namespace {

namespace views = ranges::views;

class Attachment {
 public:
  Attachment(Graph machine, int w, int h, Bandwidth link, const EndpointRates& rates)
      : builder_{std::move(machine)}, rates_{rates} {
    network_.w = w;
    network_.h = h;
    network_.service = link;
  }

  void add(const std::string& place, NodeId router) {
    const Node at = builder_.graph().node(router);
    const NodeId endpoint = builder_.add_endpoint(place + ".endpoint", at.pos_mm, at.at);
    builder_.join_endpoint(endpoint, router, network_.service, rates_);
    builder_.reach(endpoint, {.up = router, .router = router, .turns = true});
    network_.sources.push_back(endpoint);
  }

  TrafficNetwork take() && {
    network_.sinks = network_.sources;
    network_.graph = std::move(builder_).build();
    return std::move(network_);
  }

 private:
  NetworkBuilder builder_;
  EndpointRates rates_;
  TrafficNetwork network_;
};

}  // namespace

TrafficNetwork pe_endpoints(Graph machine, int sip, int cube, int network, const EndpointRates& rates) {
  const config::MachineSpec& spec = machine.spec();
  std::vector<NodeId> routers;
  for (const PeNodes& pe : machine.cube(sip, cube).pes)
    routers.push_back(machine.on_network(pe.router, network));
  Attachment attachment{std::move(machine), spec.pes_per_cube(), 1, spec.pe.link, rates};
  for (const auto& [pe, router] : views::zip(views::iota(0), routers))
    attachment.add(to_string(PeCoord{sip, cube, pe}), router);
  return std::move(attachment).take();
}

TrafficNetwork cube_endpoints(Graph machine, int sip, const EndpointRates& rates) {
  const config::MachineSpec& spec = machine.spec();
  std::vector<NodeId> routers;
  for (const CubeNodes& cube : machine.sips()[static_cast<std::size_t>(sip)].cubes)
    routers.push_back(machine.node(cube.m_cpu).access.router);
  Attachment attachment{std::move(machine), spec.sip.cube_mesh.w, spec.sip.cube_mesh.h, spec.cube.noc.link,
                        rates};
  for (const auto& [cube, router] : views::enumerate(routers))
    attachment.add("sip" + std::to_string(sip) + ".cube" + std::to_string(cube), router);
  return std::move(attachment).take();
}

TrafficNetwork sip_endpoints(Graph machine, const EndpointRates& rates) {
  const config::MachineSpec& spec = machine.spec();
  const SipGrid grid = machine.grid();
  const std::vector<SipNodes> sips = machine.sips();
  Attachment attachment{std::move(machine), grid.width(), grid.height(), spec.sip.io.link.bandwidth, rates};
  for (const auto& [sip, nodes] : views::enumerate(sips))
    attachment.add("sip" + std::to_string(sip), nodes.io_noc.front());
  return std::move(attachment).take();
}

}  // namespace kbsim::topology
