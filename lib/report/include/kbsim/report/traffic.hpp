#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/hw/traffic/traffic.hpp"

namespace kbsim::report {

/// Lines for people: rates, latency, queueing and the busiest links.
[[nodiscard]] std::string to_text(const topology::TrafficCase& traffic, const hw::TrafficResult& result);

/// Rates in packets a service time and source; the links that the pattern uses.
[[nodiscard]] boost::json::object to_json(const topology::TrafficCase& traffic,
                                          const hw::TrafficResult& result);

/// A row a point, for people and as CSV.
[[nodiscard]] std::string traffic_table(const topology::TrafficCase& traffic,
                                        const std::vector<hw::TrafficResult>& points);
[[nodiscard]] std::string traffic_csv(const topology::TrafficCase& traffic,
                                      const std::vector<hw::TrafficResult>& points);
/// A row a point and active source.
[[nodiscard]] std::string traffic_sources_csv(const topology::TrafficCase& traffic,
                                              const std::vector<hw::TrafficResult>& points);
/// A row a point and link that the pattern uses.
[[nodiscard]] std::string traffic_links_csv(const topology::TrafficCase& traffic,
                                            const std::vector<hw::TrafficResult>& points);

/// Nodes where they stand, and links between them by number: what a page draws of a network that is no
/// machine.
[[nodiscard]] boost::json::object network_json(const topology::Graph& graph);

/// The gnuplot script that draws the load-latency curve from traffic_csv()'s rows: `name`.csv to
/// `name`.png and `name`.svg, latency beside accepted rate, the bound marked.
[[nodiscard]] std::string load_latency_script(const std::string& name, const std::string& title,
                                              const topology::TrafficCase& traffic,
                                              const std::vector<hw::TrafficResult>& points);

}  // namespace kbsim::report
