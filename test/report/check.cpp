#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "kbsim/report/check_report.hpp"

using namespace kbsim::report;

namespace {

Check check_of(const char* was, const char* is, double tolerance = 0.0) {
  return compare(boost::json::parse(was), boost::json::parse(is), tolerance);
}

}  // namespace

TEST_CASE("Check: equal documents have equal results, whatever the order of their keys") {
  const Check same =
      check_of(R"({"a":1,"rows":[{"t":2.5,"ok":true}]})", R"({"rows":[{"ok":true,"t":2.5}],"a":1})");
  CHECK(same.results.size() == 3);
  CHECK(same.different() == 0);
  CHECK(to_text(same).ends_with("all 3 results are what they were\n"));
}

TEST_CASE("Check: a number may differ by the tolerance, a word and a truth may not") {
  CHECK(check_of(R"({"t":100})", R"({"t":101})").different() == 1);
  CHECK(check_of(R"({"t":100})", R"({"t":101})", 0.01).different() == 0);
  CHECK(check_of(R"({"t":100})", R"({"t":98})", 0.01).different() == 1);
  CHECK(check_of(R"({"t":0})", R"({"t":1})", 0.5).different() == 1);
  CHECK(check_of(R"({"ok":true})", R"({"ok":false})", 1.0).different() == 1);
  CHECK(check_of(R"({"ok":true})", R"({"ok":null})", 1.0).different() == 1);
  CHECK(check_of(R"({"by":"ring"})", R"({"by":"tree"})", 1.0).different() == 1);
}

TEST_CASE("Check: a digest may differ where times may") {
  CHECK(check_of(R"({"run":{"digest":"a"}})", R"({"run":{"digest":"b"}})").different() == 1);
  const Check allowed = check_of(R"({"run":{"digest":"a"}})", R"({"run":{"digest":"b"}})", 0.01);
  CHECK(allowed.different() == 0);
  CHECK(to_text(allowed).find("differs, allowed\n") != std::string::npos);
}

TEST_CASE("Check: what is gone, and what is new, differs and is named") {
  const Check check = check_of(R"({"rows":[{"t":1},{"t":2}]})", R"({"rows":[{"t":1}],"more":3})", 1.0);
  CHECK(check.different() == 2);
  const boost::json::object all = to_json(check);
  CHECK(all.at("same") == false);
  CHECK(all.at("compared") == 3);
  CHECK(all.at("differences").at(0).at("result") == "rows[1].t");
  CHECK(all.at("differences").at(0).at("is") == "");
  CHECK(all.at("differences").at(1).at("result") == "more");
  CHECK(all.at("differences").at(1).at("change").is_null());
}
