#include <algorithm>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "timelines.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace json = boost::json;

namespace {

json::object event(const json::value& trace, const std::string& name) {
  for (const json::value& one : trace.at("traceEvents").as_array()) {
    if (one.at("name").as_string() == name && one.at("ph").as_string() == "X") return one.as_object();
  }
  FAIL(name);
  return {};
}

}  // namespace

TEST_CASE("Chrome trace: a ns is written as a µs, and the file says so") {
  trace::Timeline line;
  fill(line);
  const json::value trace = json::parse(chrome_bytes(line, 0));
  CHECK(trace.at("schemaVersion").as_int64() == 1);
  CHECK(trace.at("distributedInfo").at("rank").as_int64() == 0);
  CHECK(trace.at("distributedInfo").at("world_size").as_int64() == 1);
  CHECK(trace.at("distributedInfo").at("time_scale").as_int64() == 1000);
  const json::object load = event(trace, "load");
  CHECK(load.at("ts").to_number<double>() == 14.0);
  CHECK(load.at("dur").to_number<double>() == 26.0);
  CHECK(load.at("args").at("duration_ps").as_int64() == 26'000);
}

TEST_CASE("Chrome trace: kernels and transfers have streams, host and range events Kineto's categories") {
  trace::Timeline line;
  fill(line);
  const json::value trace = json::parse(chrome_bytes(line));
  CHECK(event(trace, "k").at("cat").as_string() == "kernel");
  CHECK(event(trace, "k").at("args").at("stream").as_int64() == 0);
  CHECK(event(trace, "load").at("cat").as_string() == "gpu_memcpy");
  CHECK(event(trace, "load").at("args").at("stream").as_int64() == 1);
  CHECK(event(trace, "outer").at("cat").as_string() == "gpu_user_annotation");
  CHECK_FALSE(event(trace, "outer").at("args").as_object().contains("stream"));
}

TEST_CASE("Chrome trace: a collective has Kineto's keys, its kernel the beginning that readers look for") {
  trace::Timeline line;
  fill(line);
  line.slices.add({.track = 2,
                   .start = 1_ns,
                   .minus_end = -9'000,
                   .kind = trace::SliceKind::collective,
                   .name = line.strings.id("all_reduce"),
                   .detail = line.strings.id("ring_allreduce"),
                   .part = line.strings.id("f16"),
                   .bytes = 32,
                   .count = 4,
                   .id = 16,
                   .group = 2});
  line.slices.add({.track = 2,
                   .start = 2_ns,
                   .minus_end = -8'000,
                   .kind = trace::SliceKind::collective_kernel,
                   .name = line.strings.id("ring"),
                   .id = 3});
  const json::value trace = json::parse(chrome_bytes(line));
  const json::object args = event(trace, "record_param_comms").at("args").as_object();
  CHECK(args.at("Collective name").as_string() == "allreduce");
  CHECK(args.at("In msg nelems").to_number<int>() == 16);
  CHECK(args.at("dtype").as_string() == "f16");
  CHECK(args.at("Group size").to_number<int>() == 4);
  CHECK(args.at("Process Group Name").as_string() == "2");
  CHECK(event(trace, "ncclDevKernel_ring").at("args").at("correlation").to_number<int>() == 3);
}

TEST_CASE("Chrome trace: of one rank only its own tracks, and of the first those without a rank") {
  trace::Timeline line;
  fill(line);
  line.ranks = 2;
  line.tracks.push_back({.name = "machine"});
  line.tracks.push_back({.name = "sip1", .process = 1});
  line.slices.add({.track = 4, .start = 1_ns, .minus_end = -2'000, .name = line.strings.id("anybody's")});
  line.slices.add({.track = 5, .start = 1_ns, .minus_end = -2'000, .name = line.strings.id("second's")});
  const std::string first = chrome_bytes(line, 0);
  const std::string second = chrome_bytes(line, 1);
  CHECK(first.find("anybody's") != std::string::npos);
  CHECK(first.find("second's") == std::string::npos);
  CHECK(second.find("anybody's") == std::string::npos);
  CHECK(second.find("second's") != std::string::npos);
  CHECK(second.find("\"load\"") == std::string::npos);
  (void)json::parse(second);
}

TEST_CASE("Chrome trace: a name with quotes is still JSON") {
  trace::Timeline line;
  fill(line);
  line.title = "a \"b\" \\";
  line.slices.add({.track = 3, .start = 1_ns, .minus_end = -2'000, .name = line.strings.id("q\"\n")});
  CHECK(json::parse(chrome_bytes(line)).at("traceName").as_string() == "a \"b\" \\");
}

TEST_CASE("Timeline picture: a row a track, and nothing that would have to be escaped is left") {
  trace::Timeline line;
  fill(line);
  line.slices.add({.track = 3, .start = 60_ns, .minus_end = -99'000, .name = line.strings.id("a<b&c")});
  std::string svg;
  write_svg(line, [&](std::string_view more) { svg += more; });
  CHECK(svg.starts_with("<svg"));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("sip0.pe0.kernel") != std::string::npos);
  CHECK(svg.find("a&lt;b&amp;c") != std::string::npos);
  CHECK(svg.find("a<b") == std::string::npos);
}
