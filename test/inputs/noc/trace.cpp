#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/random.hpp"
#include "kbsim/inputs/noc/noc_trace.hpp"
#include "kbsim/inputs/text.hpp"

#include "../../files.hpp"

namespace kbsim::inputs::noc_trace_test {
namespace {

using topology::NocEvent;
using topology::NocOp;

constexpr NocExtent kGrid{.w = 4, .h = 3, .layers = 2};

class TraceFile {
 public:
  explicit TraceFile(const std::string& text) { write(text); }
  ~TraceFile() { std::filesystem::remove(path_); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  void write(const std::string& text) const { std::ofstream{path_} << text; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ = kbsim::test::fresh_place("noc_trace.json");
};

std::string read_at(std::int64_t cycle, int sx = 1) {
  return fmt::format(
      R"({{"proc":"NCRISC","noc":"NOC_0","sx":{},"sy":1,"dx":0,"dy":2,"num_bytes":64,"type":"READ",)"
      R"("timestamp":{}}})",
      sx, cycle);
}

std::string error_of(const std::string& text) {
  const TraceFile file{text};
  try {
    (void)NocTrace::open(file.path(), kGrid);
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(what.find(".json") + 5);
  }
  return "no error";
}

std::vector<NocEvent> all(const NocTrace& trace, std::size_t section) {
  NocCursor cursor{trace, trace.sections.at(section), kGrid};
  std::vector<NocEvent> events;
  while (const auto event = cursor.next()) events.push_back(*event);
  return events;
}

}  // namespace

TEST_CASE("NOC trace: events by processor, stamps from the first on, zones and foreign types beside them") {
  const TraceFile file{fmt::format(R"([
 {{"proc":"NCRISC","zone":"K","zone_phase":"begin","sx":1,"sy":1,"timestamp":1000}},
 {},
 {{"proc":"NCRISC","noc":"NOC_0","sx":1,"sy":1,"num_bytes":0,"type":"READ_BARRIER_START","timestamp":1010}},
 {{"proc":"NCRISC","noc":"NOC_0","sx":1,"sy":1,"num_bytes":0,"type":"READ_BARRIER_END","timestamp":1200}},
 {{"proc":"BRISC","noc":"NOC_1","sx":1,"sy":1,"mcast_start_x":0,"mcast_start_y":0,"mcast_end_x":3,"mcast_end_y":1,
   "num_bytes":32,"type":"WRITE_MULTICAST","timestamp":1005}},
 {{"proc":"BRISC","noc":"NOC_1","sx":1,"sy":1,"dx":2,"dy":2,"num_bytes":0,"type":"SEMAPHORE_INC","timestamp":1006}},
 {{"proc":"BRISC","noc":"NOC_1","sx":1,"sy":1,"num_bytes":9,"type":"FABRIC_UNICAST_WRITE","timestamp":1007}}
])",
                                   read_at(1001))};
  const NocTrace trace = NocTrace::open(file.path(), kGrid);
  CHECK(trace.events == 5);
  CHECK(trace.zones == 1);
  CHECK(trace.left_out == std::map<std::string, std::uint64_t>{{"FABRIC_UNICAST_WRITE", 1}});
  REQUIRE(trace.sections.size() == 2);
  const std::vector<NocEvent> writes = all(trace, 0);
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].op == NocOp::multicast);
  CHECK(writes[0].layer == 1);
  CHECK(writes[0].last == topology::NocSpot{3, 1});
  CHECK(writes[1].op == NocOp::semaphore);
  CHECK(writes[1].size == 4_B);
  const std::vector<NocEvent> reads = all(trace, 1);
  REQUIRE(reads.size() == 3);
  CHECK(reads[0].cycle == 0);
  CHECK(reads[0].size == 64_B);
  CHECK(reads[0].to == topology::NocSpot{0, 2});
  CHECK(reads[1].op == NocOp::barrier_begin);
  CHECK(reads[2].op == NocOp::barrier_end);
  CHECK(reads[2].waits.reads);
  CHECK_FALSE(reads[2].waits.writes);
  CHECK(reads[2].cycle == 199);
}

TEST_CASE("NOC trace: events of several cores in turn are kept apart") {
  const TraceFile file{"[" + read_at(5, 1) + "," + read_at(6, 2) + "," + read_at(7, 1) + "]"};
  const NocTrace trace = NocTrace::open(file.path(), kGrid);
  REQUIRE(trace.sections.size() == 2);
  CHECK(all(trace, 0).size() == 2);
  CHECK(all(trace, 0)[1].cycle == 2);
  CHECK(all(trace, 1)[0].cycle == 1);
}

TEST_CASE("NOC trace: fields and types of events that aren't known are refused with their place") {
  const auto event = [](const char* type, const char* more) {
    return fmt::format(R"([{{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"dx":2,"dy":2,"num_bytes":64,)"
                       "\n"
                       R"("type":"{}","timestamp":7{}}}])",
                       type, more);
  };
  for (const char* type : {"WRITE_", "WRITE_WITH_STATE", "WRITE_WITH_TRID", "READ_DRAM_SHARDED_WITH_STATE"})
    CHECK(error_of(event(type, "")) == "no error");
  CHECK(error_of(event("WRITE_", R"(,"vc":1,"op_name":"x","posted":false)")) == "no error");
  CHECK(error_of(event("TELEPORT", "")) == ":2:1: event type 'TELEPORT' isn't known");
  for (const std::string type :
       {"READ_FOO_BAR", "READX", "READ_X", "WRITE_MULTICAST_X", "READ_BARRIER_X_END"})
    CHECK(error_of(event(type.c_str(), "")) == ":2:1: event type '" + type + "' isn't known");
  CHECK(error_of(event("READ", R"(,"fabric_send":{"eth_chan":1})"))
            .find("only a FABRIC_ event leaves the chip") != std::string::npos);
  CHECK(error_of(event("ATOMIC_SWAP", "")) == ":2:1: event type 'ATOMIC_SWAP' isn't known");
  CHECK(
      error_of(event("WRITE_", ",\n\"copies\":3")) ==
      ":3:1: field 'copies' of an event isn't known, and may change the traffic: take it out if it doesn't");
  CHECK(error_of(event("WRITE_", R"(,"posted":true)")).find("(posted), isn't simulated") !=
        std::string::npos);
  CHECK_THROWS_AS((void)NocTrace::open(TraceFile{event("TELEPORT", "")}.path(), kGrid), Unsupported);
  const std::string stateless =
      R"([{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"type":"READ_WITH_STATE","timestamp":7}])";
  CHECK(error_of(stateless).find("target and bytes of 'READ_WITH_STATE' are those of an earlier event") !=
        std::string::npos);
}

TEST_CASE("NOC trace: zones and foreign types between events are no new stretch, another core's event is") {
  const std::string zone = R"({"proc":"NCRISC","zone":"K","zone_phase":"begin","sx":1,"sy":1,"timestamp":7})";
  std::string text = "[" + read_at(5);
  for (int i = 0; i < 100; ++i) text += "," + zone + "," + read_at(6 + i);
  const TraceFile file{text + "," + read_at(1, 2) + "," + read_at(200) + "]"};
  const NocTrace trace = NocTrace::open(file.path(), kGrid);
  CHECK(trace.sections[0].ranges.size() == 2);
  CHECK(trace.sections[1].ranges.size() == 1);
  CHECK(all(trace, 0).size() == 102);
  CHECK(all(trace, 0).back().cycle == 199);
}

TEST_CASE("NOC trace: stretches are joined before they are too many, and give the same events") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += (i == 0 ? "[" : ",") + read_at(i, i % 3);
  const TraceFile file{text + "]"};
  for (const std::size_t most : {3U, 4U, 7U, 64U, 300U}) {
    const NocTrace trace = NocTrace::open(file.path(), kGrid, most);
    std::size_t stretches = 0;
    for (std::size_t section = 0; section < 3; ++section) {
      stretches += trace.sections[section].ranges.size();
      const std::vector<NocEvent> events = all(trace, section);
      REQUIRE(events.size() == 100);
      for (std::size_t i = 0; i < events.size(); ++i)
        CHECK(events[i].cycle == static_cast<std::int64_t>(3 * i + section));
    }
    CHECK(stretches <= most);
  }
}

TEST_CASE("NOC trace: a file that changes while it is read is reported") {
  const std::string was = "[" + read_at(5) + "," + read_at(6) + "]";
  for (const std::string& now :
       {"[" + read_at(5) + "]", was.substr(0, 100), "[" + read_at(7) + "," + read_at(6) + "]",
        "[" + read_at(5, 2) + "," + read_at(6, 2) + "]"}) {
    const TraceFile file{was};
    const NocTrace trace = NocTrace::open(file.path(), kGrid);
    file.write(now);
    CHECK_THROWS_WITH_AS((void)all(trace, 0), doctest::Contains("has changed while it was read"), UsageError);
  }
}

TEST_CASE("NOC trace: a mistake is reported with its line and column") {
  CHECK(error_of("{}") == ":1:1: found '{', expected '[': an array of events");
  CHECK(error_of("") == ":1:1: found the end of the file, expected '[': an array of events");
  CHECK(error_of("[]") == ": has no events of a NOC");
  CHECK(error_of("[\n" + read_at(5) + "\n" + read_at(6) + "]") == ":3:1: found '{', expected ',' or ']'");
  CHECK(error_of("[" + read_at(5) + "] x") ==
        fmt::format(":1:{}: found 'x' after the array", read_at(5).size() + 4));
  CHECK(error_of("[\n  {\"proc\": \"A") == ":2:3: the file ends within this event");
  CHECK(error_of("[\n" + read_at(9) + ",\n" + read_at(8) + "]") ==
        ":3:1: timestamp 8 is before that of the processor's event before it (9)");
  CHECK(error_of("[" + read_at(5, 4) + "]").ends_with("sx: found 4, expected 0 to 3: the network's w is 4"));
  CHECK(error_of("[{\"sx\":1,\"sy\":1}]") == ":1:2: proc: missing of this event");
  CHECK(error_of("[{\"proc\":tru}]").find(": no JSON: ") != std::string::npos);
}

TEST_CASE("NOC trace: a byte order mark before the array is passed over, and moves no column") {
  const std::string mark = "\xef\xbb\xbf";
  const TraceFile file{mark + "[" + read_at(5) + "," + read_at(6) + "]"};
  const NocTrace trace = NocTrace::open(file.path(), kGrid);
  REQUIRE(trace.events == 2);
  CHECK(all(trace, 0)[1].cycle == 1);
  CHECK(error_of(mark + "{}") == error_of("{}"));
  CHECK(error_of(mark) == error_of(""));
  CHECK(error_of(mark + mark + "[]") == ":1:1: found byte 0xef, expected '[': an array of events");
  CHECK(error_of("\xef\xbb[]") == ":1:1: found byte 0xef, expected '[': an array of events");
}

TEST_CASE("NOC trace: hostile files are refused") {
  CHECK(error_of("[{\"a\":\"" + std::string(70'000, 'x') + "\"}]") ==
        ":1:2: this event has more than 65536 bytes");
  CHECK(error_of("[{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}]").find("no JSON") !=
        std::string::npos);
  CHECK_THROWS_AS((void)NocTrace::open("/dev/zero", kGrid), UsageError);
  CHECK_THROWS_AS((void)NocTrace::open("/nowhere/trace.json", kGrid), UsageError);
}

TEST_CASE("NOC trace: events of two chips are of no single NOC") {
  std::string one = read_at(5);
  std::string other = read_at(6);
  one.insert(1, "\"src_device_id\":0,");
  other.insert(1, "\"src_device_id\":1,");
  const TraceFile file{"[" + one + "," + other + "]"};
  CHECK_THROWS_AS((void)NocTrace::open(file.path(), kGrid), Unsupported);
}

TEST_CASE("NOC trace: an event to another chip is of no single NOC") {
  for (const int to : {3, 4}) {
    std::string one = read_at(5);
    one.insert(1, fmt::format("\"src_device_id\":3,\"dst_device_id\":{},", to));
    const TraceFile file{"[" + one + "]"};
    if (to == 3)
      CHECK_NOTHROW((void)NocTrace::open(file.path(), kGrid));
    else
      CHECK_THROWS_WITH_AS((void)NocTrace::open(file.path(), kGrid),
                           doctest::Contains(":1:2: an event of chip 3 to chip 4"), Unsupported);
  }
}

TEST_CASE("NOC trace: whatever bytes are changed, a file is read or refused") {
  const std::string right = "[" + read_at(5) + "," + read_at(6) + "]";
  Random random{1, 0};
  for (int i = 0; i < 300; ++i) {
    std::string text = right;
    for (int n = 0; n < 3; ++n)
      text[static_cast<std::size_t>(random.uniform() * static_cast<double>(text.size()))] =
          static_cast<char>(static_cast<int>(random.uniform() * 256.0));
    const TraceFile file{text};
    try {
      const NocTrace trace = NocTrace::open(file.path(), kGrid);
      CHECK(trace.events <= 2);
    } catch (const Error& error) {
      CHECK(error.exit_code() != ExitCode::internal);
    }
  }
}

}  // namespace kbsim::inputs::noc_trace_test
