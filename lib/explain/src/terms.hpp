#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/explain/keys.hpp"

namespace kbsim::explain {

// Of what terms consist.

/// The section of a node's model in a topology file.
[[nodiscard]] std::string section(const topology::Node& node);
/// What the model of a node has under that name; none if it has nothing.
[[nodiscard]] std::optional<double> attribute(const topology::Node& node, const std::string& name);
/// A unit of the value takes `per_unit` ns.
[[nodiscard]] Term latency(std::string key, double value, Time time, std::int64_t times,
                           double per_unit = 1.0);
/// `rate` is what comes of the value.
[[nodiscard]] Term rate(std::string key, double value, double rate, Time time, const Segment& segment);

// Those of one reason, or of some alike.

[[nodiscard]] Term of_link(const Segment& segment, const topology::Graph& graph);
/// Of an attribute in ns, if that is how long the segment is; else none.
[[nodiscard]] std::vector<Term> of_latency(const Segment& segment, const topology::Node& node,
                                           const std::string& key);
[[nodiscard]] std::vector<Term> of_dispatch(const Segment& segment, const topology::Node& cpu);
/// A flit's time on the fastest link of a router that switches worms.
[[nodiscard]] Term of_cycle(const Segment& segment, const hw::Machine& machine);
/// The last cycle of such a router's pipeline, or all of it; a part of it has no key.
[[nodiscard]] std::vector<Term> of_lookahead(const Segment& segment, const topology::Node& router,
                                             const hw::Machine& machine);
[[nodiscard]] std::vector<Term> of_credit_delay(const Segment& segment, const topology::Node& router,
                                                const hw::Machine& machine);
/// What a memory's model says of it.
[[nodiscard]] std::vector<Term> of_delay(const Segment& segment, const hw::Machine& machine);
/// What is left of a refresh, its end first.
[[nodiscard]] std::vector<Term> of_refresh_wait(const Segment& segment, const hw::Machine& machine);
/// Looks of pe_cpu at its queues.
[[nodiscard]] std::vector<Term> of_looks(Segment segment, const topology::Node& cpu);
/// Periods between looks, or what is left of one; as long as a look takes where looks follow one another.
[[nodiscard]] std::vector<Term> of_poll(const Segment& segment, const topology::Node& queues,
                                        const hw::Machine& machine);

}  // namespace kbsim::explain
