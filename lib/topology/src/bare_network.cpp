#include "bare_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/topology/sip_grid.hpp"

#include "network_builder.hpp"

namespace kbsim::topology {
namespace {

namespace views = ranges::views;

// Packages are joined as routers are here, so SipGrid serves for both.
SipGrid grid_of(BareShape shape, int w, int h) {
  using enum config::SipTopology;
  constexpr std::array kJoined{mesh_2d_no_wrap, torus_2d, ring_1d};
  config::SipsSpec spec;
  spec.count = w * h;
  spec.topology = kJoined[static_cast<std::size_t>(shape)];
  spec.w = w;
  spec.h = h;
  return SipGrid{spec};
}

double distance(const Graph& graph, NodeId a, NodeId b) {
  const Point from = graph.node(a).pos_mm;
  const Point to = graph.node(b).pos_mm;
  return std::abs(from.x - to.x) + std::abs(from.y - to.y);
}

}  // namespace

TrafficNetwork bare_grid(const SharedSpec& spec, BareShape shape, int w, int h, const EndpointRates& rates) {
  const config::NocSpec& noc = spec->cube.noc;
  const Point pitch{spec->sip.cube_size.w_mm / noc.w, spec->sip.cube_size.h_mm / noc.h};
  const SipGrid grid = grid_of(shape, w, h);
  NetworkBuilder builder{spec};
  builder.one_class();
  const auto places = views::cartesian_product(views::indices(h), views::indices(w));
  std::vector<NodeId> routers;
  for (const auto [row, column] : places) {
    const Point pos{column * pitch.x, row * pitch.y};
    routers.push_back(
        builder.add(fmt::format("r{}_{}", row, column), NodeKind::router, noc.router, pos, {-1, -1, -1}));
  }
  std::vector<NodeId> endpoints;
  for (const auto [row, column] : places)
    endpoints.push_back(builder.add_endpoint(fmt::format("e{}_{}", row, column)));
  for (const auto& [number, router, endpoint] : views::zip(views::iota(0), routers, endpoints)) {
    builder.reach(router, {.router = router});
    builder.join_endpoint(endpoint, router, noc.link, rates);
    builder.reach(endpoint, {.up = router, .router = router, .turns = true});
    for (const Side side : {Side::east, Side::south}) {
      const auto peer = grid.neighbour(number, side);
      if (!peer) continue;
      const NodeId next = routers[static_cast<std::size_t>(*peer)];
      if (builder.is_joined(router, next)) continue;  // a ring of two has one link in each direction
      builder.join(router, next, noc.link, distance(builder.graph(), router, next));
      builder.orient(side == Side::east ? 0 : 1, *peer < number);
    }
  }
  return {.graph = std::move(builder).build(grid),
          .sources = endpoints,
          .sinks = endpoints,
          .w = w,
          .h = h,
          .service = noc.link};
}

TrafficNetwork bare_link(const SharedSpec& spec) {
  const config::NocSpec& noc = spec->cube.noc;
  NetworkBuilder builder{spec};
  builder.one_class();
  const NodeId source = builder.add_endpoint("source");
  const NodeId sink = builder.add_endpoint("sink");
  builder.add_link(source, sink, noc.link, spec->sip.cube_size.w_mm / noc.w);
  builder.reach(source, {.up = sink, .router = sink});
  builder.reach(sink, {.router = sink});
  return {.graph = std::move(builder).build(grid_of(BareShape::mesh, 1, 1)),
          .sources = {source},
          .sinks = {sink},
          .service = noc.link};
}

}  // namespace kbsim::topology
