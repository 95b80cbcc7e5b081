#include "kbsim/topology/noc_network.hpp"

#include <array>
#include <utility>

namespace kbsim::topology {

NocNetwork::NocNetwork(config::NocToriSpec spec) : spec_{std::move(spec)} {
  dram_.resize(static_cast<std::size_t>(nodes()));
  for (const std::string& name : spec_.dram_nodes)
    dram_[static_cast<std::size_t>(config::noc_node(spec_, name).value())] = true;
  rates_.assign(2 * count(), spec_.link.gbs());
  for (int layer = 0; layer < layers(); ++layer)
    for (int i = 0; i < nodes(); ++i) rates_.push_back(kind(i).injection.gbs());
  rates_.insert(rates_.end(), count(), spec_.sink.gbs());
  for (int i = 0; i < nodes(); ++i) rates_.push_back(kind(i).memory.gbs());
}

bool NocNetwork::forward(int layer) const {
  return spec_.ways[static_cast<std::size_t>(layer)] == config::NocWay::east_south;
}

NocNetwork::Run NocNetwork::run(int layer, int axis, int from, int to) const {
  const int size = axis == 0 ? spec_.w : spec_.h;
  const int a = axis == 0 ? from % spec_.w : from / spec_.w;
  const int b = axis == 0 ? to % spec_.w : to / spec_.w;
  const bool ahead = forward(layer);
  return {.steps = ahead ? (b - a + size) % size : (a - b + size) % size, .wraps = ahead ? b < a : b > a};
}

NocRoute NocNetwork::route(int layer, int from, int to) const {
  const bool ahead = forward(layer);
  NocRoute route;
  std::array<int, 2> at{from % spec_.w, from / spec_.w};
  const std::array<int, 2> size{spec_.w, spec_.h};
  for (const int axis : ahead ? std::array{0, 1} : std::array{1, 0}) {
    const auto a = static_cast<std::size_t>(axis);
    const int edge = ahead ? size[a] - 1 : 0;
    bool wrapped = false;
    for (int steps = run(layer, axis, from, to).steps; steps > 0; --steps) {
      const NocResource link = port(layer, at[1] * spec_.w + at[0], static_cast<NocResource>(axis));
      wrapped = wrapped || at[a] == edge;
      route.links.push_back(link);
      route.channels.push_back(2 * link + (wrapped ? 1U : 0U));
      at[a] = (at[a] + (ahead ? 1 : size[a] - 1)) % size[a];
    }
  }
  return route;
}

int NocNetwork::hops(int layer, int from, int to) const {
  return run(layer, 0, from, to).steps + run(layer, 1, from, to).steps;
}

int NocNetwork::input(int layer, int from, int to) const {
  const int last = forward(layer) ? 1 : 0;
  for (const int axis : {last, 1 - last}) {
    const Run along = run(layer, axis, from, to);
    if (along.steps > 0) return 2 + 2 * axis + (along.wraps ? 1 : 0);
  }
  return 0;
}

}  // namespace kbsim::topology
