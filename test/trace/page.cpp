#include "kbsim/trace/page.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "timelines.hpp"

namespace kbsim::test::page_data_test {

namespace json = boost::json;

namespace {

json::value data_of(const trace::PageLimits& limits) {
  trace::Timeline line;
  fill(line);
  std::string text;
  write_page_data(line, limits, [&](std::string_view piece) { text += piece; });
  return json::parse(text);
}

}  // namespace

TEST_CASE(
    "Page data: slices of a row stand together, in ascending order; nothing is left out below the limits") {
  const json::value data = data_of({.numbers = 10});
  const json::array& starts = data.at("start").as_array();
  CHECK(starts.size() == 9);
  for (const json::value& row : data.at("rows").as_array()) {
    for (auto i = row.at("first").to_number<std::size_t>() + 1; i < row.at("last").to_number<std::size_t>();
         ++i)
      CHECK(starts[i].as_int64() >= 0);  // differences
  }
  CHECK(data.at("left_out").as_array().empty());
  const json::value& series = data.at("series").at(0);
  CHECK(series.at("of").as_string() == "sip0.pe0.dma");
  CHECK(series.at("measure").as_string() == "under_way");
  CHECK(series.at("values") == json::array{620, -1});
  CHECK_FALSE(data.at("is_cut").as_bool());
}

TEST_CASE("Page data: of too many slices the shortest are left out, and that is said") {
  const json::value data = data_of({.slices = 5});
  CHECK(data.at("length").as_array().size() <= 5);
  for (const json::value& length : data.at("length").as_array()) CHECK(length.as_int64() >= 16'384);
  CHECK(data.at("left_out").at(0).as_string() == "slices shorter than 8.192 ns");
}

TEST_CASE("Page data: of too long series those of the least sums are left out") {
  const json::value data = data_of({.numbers = 1});
  CHECK(data.at("series").as_array().empty());
  CHECK(data.at("left_out").at(0).as_string() == "curves of 1 units and links that did least");
}

TEST_CASE("Page data: of too many rows the least busy are left out, and arrows to them") {
  const json::value whole = data_of({});
  const auto busy = [](const json::value& data, const json::value& row) {
    std::int64_t sum = 0;
    for (auto i = row.at("first").to_number<std::size_t>(); i < row.at("last").to_number<std::size_t>(); ++i)
      sum += data.at("length").at(i).as_int64();
    return sum;
  };
  std::vector<std::int64_t> sums;
  for (const json::value& row : whole.at("rows").as_array()) sums.push_back(busy(whole, row));
  std::ranges::sort(sums, std::greater{});
  REQUIRE(sums.size() == 3);
  const json::value data = data_of({.rows = 2});
  const json::array& rows = data.at("rows").as_array();
  REQUIRE(rows.size() == 2);
  std::vector<std::int64_t> kept{busy(data, rows[0]), busy(data, rows[1])};
  std::ranges::sort(kept, std::greater{});
  CHECK(kept == std::vector(sums.begin(), sums.begin() + 2));
  for (const json::value& flow : data.at("flows").as_array()) {
    CHECK(flow.at(0).as_int64() < 2);
    CHECK(flow.at(2).as_int64() < 2);
  }
  CHECK(data.at("left_out").at(0).as_string() ==
        "rows of " + std::to_string(sums.size() - 2) + " links and units that were least busy");
}

TEST_CASE("Page data: a text that is too long is made again with half of each") {
  trace::Timeline line;
  fill(line);
  const trace::TrackId track = 0;
  for (int i = 0; i < 2000; ++i)
    line.slices.add({.track = track, .start = Time{10 * i}, .minus_end = -(10 * i + 1 + i % 9)});
  const auto written = [&](const trace::PageLimits& limits) {
    std::string text;
    write_page_data(line, limits, [&](std::string_view piece) { text += piece; });
    return text;
  };
  const std::string whole = written({});
  const std::string half = written({.slices = 4096, .bytes = whole.size() / 2});
  CHECK(half.size() <= whole.size() / 2);
  CHECK(!json::parse(half).at("left_out").as_array().empty());
  CHECK(!json::parse(half).at("rows").as_array().empty());
  CHECK(written({.bytes = whole.size()}) == whole);
  CHECK(json::parse(written({.bytes = 1})).at("start").as_array().size() <= 1);  // as little as there can be
}

TEST_CASE("Labels of tracks: their paths, of links their names") {
  const std::vector<trace::Track> tracks{{.name = "sip0"},
                                         {.name = "links", .parent = 0},
                                         {.name = "sip0.a>sip0.b", .parent = 1, .says_place = true},
                                         {.name = "a>b", .parent = 0}};
  CHECK(trace::label_of(tracks, 1) == "sip0.links");
  CHECK(trace::label_of(tracks, 2) == "sip0.a>sip0.b");
  CHECK(trace::label_of(tracks, 3) == "sip0.a>b");
}

}  // namespace kbsim::test::page_data_test
