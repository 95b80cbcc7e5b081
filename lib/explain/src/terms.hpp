#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/explain/keys.hpp"

namespace kbsim::explain {

// Building blocks of terms.

/// The section of a node's model in a topology file.
[[nodiscard]] std::string section(const topology::Node& node);
/// The attribute of that name of a node's model; none if it has no such attribute.
[[nodiscard]] std::optional<double> attribute(const topology::Node& node, const std::string& name);
/// A unit of the value takes `per_unit` ns.
[[nodiscard]] Term latency(std::string key, double value, Time time, std::int64_t times,
                           double per_unit = 1.0);
/// The effective rate is `rate`; it is proportional to the value.
[[nodiscard]] Term rate(std::string key, double value, double rate, Time time, const Segment& segment);

// Terms of one reason, or of several similar reasons.

/// The rate of a link alone.
[[nodiscard]] Term of_rate(const Segment& segment, const topology::Graph& graph);
/// Its delay, or the time that packets occupy it with their frames. A packet's least time has a term of its
/// own where it decides; the keys of frames are shared with the rate. No term for payload_bytes, channels
/// and, with frames, header_bytes: time goes in steps with them.
[[nodiscard]] std::vector<Term> of_link(const Segment& segment, const topology::Graph& graph);
/// The key of the raw bandwidth of a cube's HBM, of a slice or of a channel that all PEs share, and its
/// value.
[[nodiscard]] std::string_view hbm_key(const config::MachineSpec& spec);
[[nodiscard]] Bandwidth hbm_bandwidth(const config::MachineSpec& spec);
/// The term of an attribute in ns if it equals the segment's length; else none.
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
/// Terms from a memory's model.
[[nodiscard]] std::vector<Term> of_delay(const Segment& segment, const hw::Machine& machine);
/// The rest of a refresh, its end first.
[[nodiscard]] std::vector<Term> of_refresh_wait(const Segment& segment, const hw::Machine& machine);
/// Polls of queues by pe_cpu.
[[nodiscard]] std::vector<Term> of_looks(Segment segment, const topology::Node& cpu);
/// Periods between polls, or the rest of one. Where polls follow one another, a period is as long as a poll.
[[nodiscard]] std::vector<Term> of_poll(const Segment& segment, const topology::Node& queues,
                                        const hw::Machine& machine);

}  // namespace kbsim::explain
