#include "kbsim/topology/traffic_network.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

#include "bare_network.hpp"
#include "file_network.hpp"
#include "machine_endpoints.hpp"

namespace kbsim::topology {
namespace {

std::optional<int> count_in(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "cube12" after "cube": 12.
std::optional<int> numbered(std::string_view word, std::string_view name) {
  if (!word.starts_with(name)) return std::nullopt;
  return count_in(word.substr(name.size()));
}

[[noreturn]] void refuse(std::string_view scope, const std::string& why) {
  throw UsageError{fmt::format("--scope {}: {}", scope, why)};
}

[[noreturn]] void refuse_unknown(std::string_view scope) {
  const std::string typed{scope.substr(0, scope.find_first_of(":."))};
  const std::string near = nearest_name(typed, {"mesh", "torus", "ring", "link", "file", "sips", "sip0"});
  const std::string hint = near.empty() ? "" : fmt::format(", did you mean '{}'?", near);
  refuse(scope, fmt::format("no such scope{} (expected {}; or hbm, a memory alone)", hint, scope_forms()));
}

void check_size(std::string_view scope, std::int64_t w, std::int64_t h) {
  if (w < 1 || h < 1) refuse(scope, "expected at least one router each way");
  if (w > kMaxEndpoints || h > kMaxEndpoints || w * h > kMaxEndpoints)
    refuse(scope, fmt::format("expected at most {} routers", kMaxEndpoints));
}

TrafficNetwork grid(const SharedSpec& spec, std::string_view scope, BareShape shape,
                    const EndpointRates& rates) {
  const std::string_view size = scope.substr(scope.find(':') + 1);
  const std::size_t x = size.find('x');
  const auto w = count_in(size.substr(0, x));
  const auto h = x == std::string_view::npos ? std::nullopt : count_in(size.substr(x + 1));
  if (!w || !h)
    refuse(scope, fmt::format("expected a size, e.g. {}:8x8", shape == BareShape::mesh ? "mesh" : "torus"));
  check_size(scope, *w, *h);
  return bare_grid(spec, shape, *w, *h, rates);
}

TrafficNetwork ring(const SharedSpec& spec, std::string_view scope, const EndpointRates& rates) {
  const auto n = count_in(scope.substr(scope.find(':') + 1));
  if (!n) refuse(scope, "expected a number of routers, e.g. ring:8");
  check_size(scope, *n, 1);
  return bare_grid(spec, BareShape::ring, *n, 1, rates);
}

int index_below(std::string_view scope, std::string_view what, int index, int count) {
  if (index < 0 || index >= count)
    refuse(scope, fmt::format("no {}{}: the machine has {}0 to {}{}", what, index, what, what, count - 1));
  return index;
}

TrafficNetwork part(const SharedSpec& spec, std::string_view scope, const EndpointRates& rates) {
  if (scope == "sips") return sip_endpoints(compile(spec), rates);
  const std::size_t dot = scope.find('.');
  const auto sip = numbered(scope.substr(0, dot), "sip");
  if (!sip || dot == std::string_view::npos) refuse_unknown(scope);
  (void)index_below(scope, "sip", *sip, spec->system.sips.count);
  const std::string_view rest = scope.substr(dot + 1);
  if (rest == "cubes") return cube_endpoints(compile(spec), *sip, rates);
  const std::size_t second = rest.find('.');
  const auto cube = numbered(rest.substr(0, second), "cube");
  if (!cube || second == std::string_view::npos) refuse_unknown(scope);
  const std::string_view noc = rest.substr(second + 1);
  const auto network = noc == "noc" ? std::optional{0} : numbered(noc, "noc");
  if (!network) refuse_unknown(scope);
  (void)index_below(scope, "cube", *cube, spec->cubes_per_sip());
  (void)index_below(scope, "noc", *network, spec->cube.noc.networks());
  return pe_endpoints(compile(spec), *sip, *cube, *network, rates);
}

// Disables the cutting of packets.
SharedSpec uncut(const config::MachineSpec& machine) {
  auto spec = std::make_shared<config::MachineSpec>(machine);
  spec->system.packet_bytes = 0_B;
  return spec;
}

}  // namespace

std::string_view scope_forms() {
  return "mesh:WxH, torus:WxH, ring:N, link, file:NET.yaml, sip0.cube0.noc, sip0.cubes or sips";
}

Bandwidth TrafficNetwork::source_bandwidth() const {
  return graph.link(graph.out(sources.front()).front()).bandwidth;
}

TrafficNetwork traffic_network(const config::MachineSpec& machine, std::string_view scope,
                               const EndpointRates& rates) {
  const SharedSpec spec = uncut(machine);
  if (scope == "link") {
    if (rates.any())
      refuse(scope, "no endpoint there has a link of its own, so none can have a rate of its own");
    return bare_link(spec);
  }
  if (scope.starts_with("mesh:")) return grid(spec, scope, BareShape::mesh, rates);
  if (scope.starts_with("torus:")) return grid(spec, scope, BareShape::torus, rates);
  if (scope.starts_with("ring:")) return ring(spec, scope, rates);
  return part(spec, scope, rates);
}

TrafficNetwork traffic_network(const config::MachineSpec& machine, const config::Net& net,
                               const EndpointRates& rates) {
  return file_network(uncut(machine), net, rates);
}

}  // namespace kbsim::topology
