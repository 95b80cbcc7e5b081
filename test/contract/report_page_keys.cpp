// The page's table of keys, against explain.json and the rules for a better key.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "browser.hpp"
#include "command.hpp"
#include "files.hpp"
#include "report_page.hpp"

namespace kbsim::contract::report_page_keys_test {

using namespace kbsim::test;
using report_page_test::page_in;

namespace {

namespace json = boost::json;

bool is_rate(const json::value& key) { return key.as_object().contains("bytes_share_times"); }

double number(const json::value& value) { return value.to_number<double>(); }

// A latency gets better by being less, a rate by being more.
double better(const json::value& key, double percents) {
  return number(key.at("value")) * (1.0 + (is_rate(key) ? percents : -percents) / 100.0);
}

// Change of the path's length in ns with that value; a rate's pieces take whole picoseconds each.
double change(const json::value& key, double to) {
  const double value = number(key.at("value"));
  if (!is_rate(key)) return number(key.at("count")) * (to - value);
  double ps = 0.0;
  for (const json::value& piece : key.at("bytes_share_times").as_array()) {
    const auto takes = [&](double rate) {
      return std::ceil(number(piece.at(0)) * 1000.0 / (rate * number(piece.at(1))) - 1e-9);
    };
    ps += number(piece.at(2)) * (takes(to) - takes(value));
  }
  return ps / 1000.0;
}

// The rows that the page shows when its field has `percents`.
json::array rows_at(const std::string& page, int percents) {
  return json::parse(
             printed_by(page, fmt::format("{}byId('better').value = {}; byId('better').dispatchEvent(new "
                                          "Event('input'));"
                                          "told = JSON.stringify([...document.querySelectorAll("
                                          "'#derivatives tbody tr')].map(row => "
                                          "[...row.children].map(one => one.textContent)));",
                                          report_page_test::kWholeRun, percents)))
      .as_array();
}

}  // namespace

TEST_CASE("Report page: a better latency is less and a better rate more, and each row says what that gives") {
  if (!has_chromium()) return;
  const std::string folder = fresh_place("report_keys").string();
  REQUIRE(run_kbsim(kMainJob + " --quiet --out " + folder).exit == 0);
  const json::value path = json::parse(contents(folder + "/explain.json")).at("paths").at(0);
  const double length = number(path.at("length_ps")) / 1000.0;
  for (const int percents : {10, 25}) {
    int rates = 0;
    int latencies = 0;
    for (const json::value& row : rows_at(page_in(folder), percents)) {
      const auto cell = [&](std::size_t i) { return std::stod(std::string{row.at(i).as_string()}); };
      const std::string name{row.at(0).as_string()};
      CAPTURE(name);
      const json::array& keys = path.at("keys").as_array();
      const auto* key = std::ranges::find_if(
          keys, [&](const json::value& one) { return one.at("key").as_string() == name; });
      REQUIRE(key != keys.end());
      ++(is_rate(*key) ? rates : latencies);
      const double to = better(*key, percents);
      const double longer = change(*key, to);
      CHECK(cell(1) == doctest::Approx(number(key->at("value"))));
      CHECK(cell(3) == doctest::Approx(to).epsilon(1e-5));
      CHECK(cell(6) == doctest::Approx(longer).epsilon(1e-5));
      CHECK(cell(7) == doctest::Approx(length + longer).epsilon(1e-5));
      CHECK(std::abs(cell(8) + 100.0 * longer / length) < 0.006);
      CHECK(cell(8) >= 0.0);
    }
    CHECK(rates > 0);
    CHECK(latencies > 0);
  }
}

}  // namespace kbsim::contract::report_page_keys_test
