#include "kbsim/trace/page.hpp"

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
