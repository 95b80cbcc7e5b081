#include "kbsim/report/configuration_record.hpp"

#include <string>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::report::configuration_record_test {
namespace {

const std::string kText = "a: 1\nb: 2\nc: 3\n";

std::string refusal(void (*require)(const boost::json::object&, const std::string&, const std::string&),
                    const std::string& text) {
  const boost::json::object run{{"configuration", record_of_configuration(kText)}};
  try {
    require(run, text, "x/config.resolved.yaml");
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("Configuration record: a text that lost lines is refused by the line where it ends") {
  const std::string end = ": ends here, and is cut off: its run wrote 3 lines";
  for (auto* require : {require_whole, require_unchanged}) {
    CHECK(refusal(require, kText).empty());
    CHECK(refusal(require, "a: 1\nb: 2\n") == "x/config.resolved.yaml:2" + end);
    CHECK(refusal(require, "a: 1\nb: 2\nc") == "x/config.resolved.yaml:3" + end);
    CHECK(refusal(require, "a: 1\nb: 2\nc: 3") == "x/config.resolved.yaml:3" + end);
    CHECK(refusal(require, "") == "x/config.resolved.yaml:1" + end);
  }
}

TEST_CASE("Configuration record: one that was changed isn't what its run wrote, and may run again") {
  CHECK(refusal(require_whole, "a: 1\nb: 4\nc: 3\n").empty());
  CHECK(refusal(require_unchanged, "a: 1\nb: 4\nc: 3\n").find("was changed since its run wrote it") !=
        std::string::npos);
}

TEST_CASE("Configuration record: a run.json of an earlier version says nothing, and refuses nothing") {
  for (const boost::json::object& run : {boost::json::object{}, boost::json::object{{"configuration", 3}}}) {
    CHECK_NOTHROW(require_whole(run, "", "x"));
    CHECK_NOTHROW(require_unchanged(run, "", "x"));
  }
}

}  // namespace kbsim::report::configuration_record_test
