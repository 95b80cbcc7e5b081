// The refusals of a build without some libraries (no_*.cpp of the rooms).
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/inputs/chakra/chakra_trace.hpp"
#include "kbsim/inputs/msccl/xml.hpp"
#include "kbsim/sweep/tables.hpp"
#include "kbsim/trace/timeline.hpp"

namespace kbsim::test {
namespace {

std::string refusal(const std::function<void()>& use) {
  try {
    use();
  } catch (const Unsupported& error) {
    return error.what();
  }
  return "not refused";
}

void check_names(const std::string& package, const std::function<void()>& use) {
  const std::string text = refusal(use);
  CAPTURE(text);
  CHECK(text.find(package) != std::string::npos);
  CHECK(text.find("scripts/install-dependencies.sh features") != std::string::npos);
}

}  // namespace

TEST_CASE(
    "A build without protobuf refuses traces of Perfetto and Chakra before a run, and names its packages") {
  for (const char* package : {"libprotobuf-dev", "protobuf-compiler"}) {
    check_names(package, trace::require_perfetto);
    check_names(package, inputs::chakra::require_traces);
    check_names(package, [] { (void)inputs::chakra::read_trace("a.0.et"); });
    check_names(package, [] { (void)inputs::chakra::attribute("num_ops", std::int64_t{1}); });
  }
}

TEST_CASE("A build without pugixml refuses plans in XML, and names its package") {
  check_names("libpugixml-dev", [] { (void)inputs::parse_msccl({"plan.xml", "<algo/>"}); });
}

TEST_CASE("A build without SQLite refuses sweeps before they begin, and names its package") {
  check_names("libsqlite3-dev", sweep::require_database);
}

}  // namespace kbsim::test
