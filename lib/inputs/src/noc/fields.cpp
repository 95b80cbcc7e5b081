// The single table of fields of recorded traffic's events. Types that move data or wait are in
// event_reader.cpp.
#include "fields.hpp"

#include <algorithm>
#include <array>

#include "kbsim/base/names.hpp"

namespace kbsim::inputs {
namespace {

// Types for a word of the core's own memory, waits without an end, and traffic that leaves the chip.
constexpr auto kLeftOut =
    std::to_array<std::string_view>({"WRITE_FLUSH", "SEMAPHORE_WAIT", "SEMAPHORE_SET", "FULL_BARRIER",
                                     "ATOMIC_BARRIER", "READ_BARRIER_WITH_TRID", "WRITE_BARRIER_WITH_TRID"});
constexpr std::string_view kOffChip = "FABRIC_";
// They prepare a later event, which has its own target and bytes.
constexpr auto kPrepares = std::to_array<std::string_view>({"_SET_STATE", "_SET_TRID"});

constexpr auto kFields = std::to_array<std::string_view>(
    {"type", "sx", "sy", "dx", "dy", "noc", "proc", "timestamp", "num_bytes", "src_device_id",
     "dst_device_id", "mcast_start_x", "mcast_start_y", "mcast_end_x", "mcast_end_y", "zone", "posted",
     // idle: the network's own channels, names and numbers of a run, and the route of traffic that leaves the
     // chip
     "vc", "zone_phase", "kernel_start_delta", "op_name", "run_id", "run_host_id", "trace_id",
     "trace_id_counter", "fabric_send"});

}  // namespace

bool is_left_out(std::string_view type) {
  return std::ranges::find(kLeftOut, type) != kLeftOut.end() || type.starts_with(kOffChip) ||
         std::ranges::any_of(kPrepares, [&](std::string_view end) { return type.ends_with(end); });
}

bool is_known_field(std::string_view field) { return std::ranges::find(kFields, field) != kFields.end(); }

std::string field_hint(std::string_view field) { return near_hint(field, kFields); }

}  // namespace kbsim::inputs
