#include "event_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse_options.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/inputs/text.hpp"

#include "../msccl/shown.hpp"
#include "fields.hpp"

namespace kbsim::inputs {
namespace {

using boost::json::object;
using topology::NocEvent;
using topology::NocOp;

constexpr std::int64_t kLastCycle = std::int64_t{1} << 52;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
constexpr int kMostDepth = 8;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

struct Meaning {
  NocOp op;
  topology::NocWaits waits = {};
};

// Types of tt-metal's profiler, and barriers of every kind with a start and an end.
constexpr auto kMeanings = std::to_array<std::pair<std::string_view, Meaning>>({
    {"READ", {NocOp::read}},
    {"READ_WITH_STATE", {NocOp::read}},
    {"READ_WITH_STATE_AND_TRID", {NocOp::read}},
    {"READ_DRAM_SHARDED_WITH_STATE", {NocOp::read}},
    {"WRITE_", {NocOp::write}},
    {"WRITE_INLINE", {NocOp::write}},
    {"WRITE_WITH_TRID", {NocOp::write}},
    {"WRITE_WITH_STATE", {NocOp::write}},
    {"WRITE_WITH_TRID_WITH_STATE", {NocOp::write}},
    {"WRITE_MULTICAST", {NocOp::multicast}},
    {"SEMAPHORE_INC", {NocOp::semaphore}},
    {"READ_BARRIER_START", {NocOp::barrier_begin, {.reads = true}}},
    {"READ_BARRIER_END", {NocOp::barrier_end, {.reads = true}}},
    {"WRITE_BARRIER_START", {NocOp::barrier_begin, {.writes = true}}},
    {"WRITE_BARRIER_END", {NocOp::barrier_end, {.writes = true}}},
    {"ATOMIC_BARRIER_START", {NocOp::barrier_begin, {.writes = true}}},
    {"ATOMIC_BARRIER_END", {NocOp::barrier_end, {.writes = true}}},
    {"FULL_BARRIER_START", {NocOp::barrier_begin, {.reads = true, .writes = true}}},
    {"FULL_BARRIER_END", {NocOp::barrier_end, {.reads = true, .writes = true}}},
});

// None for a type that moves nothing over this chip's NOC, or isn't known.
std::optional<Meaning> meaning(std::string_view type) {
  const auto* const found = std::ranges::find(kMeanings, type, &decltype(kMeanings)::value_type::first);
  return found == kMeanings.end() ? std::nullopt : std::optional{found->second};
}

class EventReader {
 public:
  EventReader(const NocObjects& objects, const NocExtent& extent, const object& fields)
      : objects_{objects}, extent_{extent}, fields_{fields} {}

  NocRecord read() {
    require_known_fields();
    NocRecord record{
        .core = spot("sx", "sy"), .processor = text("proc"), .type = {}, .chip = {}, .event = {}};
    const std::int64_t cycle = number("timestamp", 0, kLastCycle);
    if (fields_.contains("src_device_id")) record.chip = number("src_device_id", -1, kMostBytes);
    if (fields_.contains("zone") && !fields_.contains("type")) return record;
    record.type = text("type");
    const std::optional<Meaning> means = meaning(record.type);
    if (!means && !is_left_out(record.type))
      refuse_work("type", fmt::format("event type '{}' isn't known", msccl::shown(record.type)));
    if (!means) return record;
    record.event = NocEvent{.cycle = cycle,
                            .size = {},
                            .from = record.core,
                            .to = {},
                            .last = {},
                            .op = means->op,
                            .waits = means->waits,
                            .layer = layer()};
    const bool moves = means->op != NocOp::barrier_begin && means->op != NocOp::barrier_end;
    if (moves) require_own_target(record.type);
    if (moves && record.chip) require_to_chip(*record.chip);
    if (moves) add_target(*record.event);
    return record;
  }

 private:
  [[noreturn]] void refuse(std::string_view field, const std::string& why) const {
    const std::size_t at = objects_.bytes().find(fmt::format("\"{}\"", field));
    throw InputError{objects_.place(at == std::string::npos ? 0 : at), fmt::format("{}: {}", field, why)};
  }
  [[noreturn]] void refuse_work(std::string_view field, const std::string& why) const {
    const std::size_t at = objects_.bytes().find(fmt::format("\"{}\"", field));
    throw Unsupported{
        fmt::format("{}: {}", to_string(objects_.place(at == std::string::npos ? 0 : at)), why)};
  }
  // For an event WITH_STATE, the target and bytes may be in an earlier one (SET_STATE).
  void require_own_target(std::string_view type) const {
    const boost::json::value* bytes = fields_.if_contains("num_bytes");
    const bool states = fields_.contains("dx") && bytes != nullptr && *bytes != boost::json::value(0);
    if (states || !has(type, "WITH_STATE")) return;
    refuse_work("type",
                fmt::format("target and bytes of '{}' are those of an earlier event, which isn't followed",
                            msccl::shown(type)));
  }
  void require_known_fields() const {
    for (const auto& member : fields_) {
      const std::string_view field{member.key()};
      if (!is_known_field(field))
        refuse_work(field,
                    fmt::format("field '{}' of an event isn't known, and may change the traffic: take it out "
                                "if it doesn't{}",
                                msccl::shown(field), field_hint(field)));
    }
    const boost::json::value* type = fields_.if_contains("type");
    const bool off_chip = type != nullptr && type->is_string() && type->get_string().starts_with("FABRIC_");
    if (fields_.contains("fabric_send") && !off_chip)
      refuse_work("fabric_send", "only a FABRIC_ event leaves the chip (fabric_send)");
    const boost::json::value* posted = fields_.if_contains("posted");
    if (posted != nullptr && *posted != boost::json::value(false) && *posted != boost::json::value(0))
      refuse_work("posted", "a posted write, for which no barrier waits (posted), isn't simulated");
  }
  void require_to_chip(std::int64_t chip) const {
    if (!fields_.contains("dst_device_id")) return;
    const std::int64_t to = number("dst_device_id", -1, kMostBytes);
    if (to == chip) return;
    throw Unsupported{fmt::format("{}: an event of chip {} to chip {}: traces of one chip only",
                                  to_string(objects_.place()), chip, to)};
  }
  [[nodiscard]] const boost::json::value& at(std::string_view field) const {
    const boost::json::value* value = fields_.if_contains(field);
    if (value == nullptr) refuse(field, "missing of this event");
    return *value;
  }
  [[nodiscard]] std::string text(std::string_view field) const {
    constexpr std::size_t kMost = 64;
    const boost::json::string* value = at(field).if_string();
    if (value == nullptr || value->size() > kMost)
      refuse(field, fmt::format("expected a text of at most {} bytes", kMost));
    return {value->data(), value->size()};
  }
  [[nodiscard]] std::int64_t number(std::string_view field, std::int64_t least, std::int64_t most) const {
    boost::json::error_code failed;
    const auto value = at(field).to_number<std::int64_t>(failed);
    if (failed || value < least || value > most)
      refuse(field, fmt::format("expected a whole number from {} to {}", least, most));
    return value;
  }
  [[nodiscard]] topology::NocSpot spot(std::string_view x, std::string_view y) const {
    return {.x = coordinate(x, extent_.w, "w"), .y = coordinate(y, extent_.h, "h")};
  }
  [[nodiscard]] std::int16_t coordinate(std::string_view field, int extent, std::string_view key) const {
    const std::int64_t found = number(field, 0, std::numeric_limits<std::int16_t>::max());
    if (found >= extent)
      refuse(field, fmt::format("found {}, expected 0 to {}: the network's {} is {}", found, extent - 1, key,
                                extent));
    return static_cast<std::int16_t>(found);
  }
  [[nodiscard]] std::uint8_t layer() const {
    const std::string given = text("noc");
    std::vector<std::string> known;
    for (int i = 0; i < extent_.layers; ++i) known.push_back(fmt::format("NOC_{}", i));
    const auto found = std::ranges::find(known, given);
    if (found == known.end())
      refuse("noc", fmt::format("found '{}', expected {}", given, fmt::join(known, " or ")));
    return static_cast<std::uint8_t>(found - known.begin());
  }
  void add_target(NocEvent& event) const {
    event.size = Bytes{number("num_bytes", 0, kMostBytes)};
    const bool many = fields_.contains("mcast_start_x");
    if (event.op == NocOp::multicast && !many) event.op = NocOp::write;
    event.to = many ? spot("mcast_start_x", "mcast_start_y") : spot("dx", "dy");
    event.last = many ? spot("mcast_end_x", "mcast_end_y") : event.to;
    if (many && event.op == NocOp::write) event.op = NocOp::multicast;
    if (event.op == NocOp::semaphore) event.size = Bytes{4};
  }

  const NocObjects& objects_;
  const NocExtent& extent_;
  const object& fields_;
};

}  // namespace

NocRecord read_noc_event(const NocObjects& objects, const NocExtent& extent) {
  std::array<unsigned char, 4096> room;  // NOLINT(*-member-init): filled before it is read
  boost::json::monotonic_resource memory{room.data(), room.size()};
  boost::json::parse_options options;
  options.max_depth = kMostDepth;
  boost::json::stream_parser parser{&memory, options};
  boost::json::error_code failed;
  const std::string& text = objects.bytes();
  const std::size_t read = parser.write_some(text.data(), text.size(), failed);
  if (!failed) parser.finish(failed);
  if (failed) throw InputError{objects.place(read), "no JSON: " + failed.message()};
  const boost::json::value event = parser.release();
  return EventReader{objects, extent, event.as_object()}.read();
}

}  // namespace kbsim::inputs
