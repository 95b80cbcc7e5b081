#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/hw/traffic/traffic.hpp"

namespace kbsim::report {

/// Lines for people: rates, latency, queueing and the busiest links.
[[nodiscard]] std::string to_text(const topology::TrafficCase& traffic, const hw::TrafficResult& result);

/// Rates in packets per service time and source; links that the pattern uses.
[[nodiscard]] boost::json::object to_json(const topology::TrafficCase& traffic,
                                          const hw::TrafficResult& result);

/// One row per point, for people and as CSV.
[[nodiscard]] std::string traffic_table(const topology::TrafficCase& traffic,
                                        const std::vector<hw::TrafficResult>& points);
[[nodiscard]] std::string traffic_csv(const topology::TrafficCase& traffic,
                                      const std::vector<hw::TrafficResult>& points);
/// One row per point and active source.
[[nodiscard]] std::string traffic_sources_csv(const topology::TrafficCase& traffic,
                                              const std::vector<hw::TrafficResult>& points);
/// One row per point and link that the pattern uses.
[[nodiscard]] std::string traffic_links_csv(const topology::TrafficCase& traffic,
                                            const std::vector<hw::TrafficResult>& points);

/// Nodes at their places, and links between them by number: a page's drawing of a network without a machine.
[[nodiscard]] boost::json::object network_json(const topology::Graph& graph);

/// The gnuplot script that draws the load-latency curve from traffic_csv()'s rows: `name`.csv to
/// `name`.png and `name`.svg, latency beside accepted rate, the bound marked.
[[nodiscard]] std::string load_latency_script(const std::string& name, const std::string& title,
                                              const topology::TrafficCase& traffic,
                                              const std::vector<hw::TrafficResult>& points);

}  // namespace kbsim::report
