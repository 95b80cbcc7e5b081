#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/field.hpp"
#include "kbsim/config/load.hpp"

namespace kbsim::config {

/// How a network file's routes are found.
enum class NetRouting { shortest, xy, yx, table };

/// `A<>B`: a link in each direction; `A>B`: one direction.
struct NetLinkSpec {
  Bandwidth bandwidth;
  double length_mm = 0.0;

  static void describe(auto& f) {
    f.add("bandwidth_gbs", &NetLinkSpec::bandwidth, kPositive, "of the link, each way");
    f.add("length_mm", &NetLinkSpec::length_mm, between(0, 1e6),
          "of the link: its delay by system.ns_per_mm");
  }
};

struct NetWaySpec {
  std::vector<std::string> via;

  static void describe(auto& f) {
    f.add("via", &NetWaySpec::via, "the nodes between the two, in their order; none if a link joins them");
  }
};

/// A network as its file describes it.
struct NetSpec {
  std::vector<std::string> nodes;
  std::vector<std::string> endpoints;
  int columns = 0;
  bool wraps = false;
  NetRouting routing = NetRouting::shortest;
  Bandwidth bandwidth = Bandwidth::gbs(256.0);
  Bandwidth endpoint = Bandwidth::gbs(256.0);
  double length_mm = 1.0;
  std::map<std::string, NetLinkSpec> links;
  std::map<std::string, NetWaySpec> routes;

  static void describe(auto& f) {
    f.add("nodes", &NetSpec::nodes, "routers, in the order that patterns have");
    f.add("endpoints", &NetSpec::endpoints, "the nodes where traffic starts and ends; all if not given");
    f.add("columns", &NetSpec::columns, between(1, 1024), "nodes a row; a single row if not given");
    f.add("wraps", &NetSpec::wraps, "of xy and yx: rows and columns are rings");
    f.choice("routing", &NetSpec::routing, {"shortest", "xy", "yx", "table"},
             "fewest links, then the least wire; along rows or columns first; or as `routes` say");
    f.add("bandwidth_gbs", &NetSpec::bandwidth, kPositive, "of links that say no other");
    f.add("endpoint_gbs", &NetSpec::endpoint, kPositive, "of an endpoint's links to its node and back");
    f.add("length_mm", &NetSpec::length_mm, between(0, 1e6), "of links that say no other");
    f.map(
        "links", &NetSpec::links,
        [](const NetSpec& net, const std::string&) {
          return NetLinkSpec{.bandwidth = net.bandwidth, .length_mm = net.length_mm};
        },
        "by A<>B, each way, or A>B, one way");
    f.map(
        "routes", &NetSpec::routes, [](const NetSpec&, const std::string&) { return NetWaySpec{}; },
        "of the routing table: by A>B");
  }
};

/// The same with nodes by number, checked: unidirectional links, in the order of the file.
struct Net {
  struct Wire {
    int from = 0;
    int to = 0;
    Bandwidth bandwidth;
    double length_mm = 0.0;
    int owner = 0;  // the node that the file names first
    Place at;
  };
  std::vector<std::string> nodes;
  std::vector<int> endpoints;
  int w = 1;
  int h = 1;
  bool wraps = false;
  NetRouting routing = NetRouting::shortest;
  Bandwidth endpoint;
  std::vector<Wire> wires;
  std::map<std::pair<int, int>, std::vector<int>>
      ways;  // routes of a table, between endpoints: the nodes after the first

  [[nodiscard]] int columns_between(const Wire& wire) const { return wire.to % w - wire.from % w; }
  [[nodiscard]] int rows_between(const Wire& wire) const { return wire.to / w - wire.from / w; }
};

inline constexpr std::size_t kMostNetNodes = 1024;

/// Reads a network. ConfigError with every mistake: names, duplicate or dangling links, incomplete grids,
/// routes without links, endpoints without a route to another.
[[nodiscard]] Net load_net(const std::filesystem::path& file, const Folders& folders = {});
[[nodiscard]] Net parse_net(std::string_view text, const std::string& file_name);

}  // namespace kbsim::config
