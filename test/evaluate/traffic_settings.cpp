// The settings that affect packets of synthetic traffic.
#include "kbsim/evaluate/traffic_settings.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

namespace kbsim::evaluate::test::traffic_settings_test {
namespace {

// The refused settings, a line each; "" if there are none.
std::string refusal(const std::string& scope, const config::Overrides& set,
                    const std::string& pattern = "uniform") {
  const TrafficChoice choice{.setup = {.scope = scope, .pattern = pattern},
                             .set = set,
                             .machine = [](const config::Overrides& overrides) {
                               return config::parse_machine("schema_version: 1", "t.yaml", overrides,
                                                            hw::ModelCatalog{});
                             }};
  const topology::TrafficCase traffic = topology::traffic_case(choice.machine(set), scope, pattern);
  try {
    require_met(choice, traffic);
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

bool is_met(const std::string& scope, const std::string& setting) {
  return refusal(scope, {setting}).empty();
}

}  // namespace

TEST_CASE("require_met: a link has no router, and packages have none of a cube's") {
  const std::string slow = "cube.noc.router.overhead_ns=3";
  CHECK(refusal("link", {slow}) ==
        "--set " + slow +
            ": cube.noc.router.overhead_ns: has no effect on kbsim traffic: no packet of --scope "
            "link meets what it changes");
  CHECK(!is_met("sips", slow));
  for (const char* scope : {"mesh:2x2", "ring:3", "sip0.cubes", "sip0.cube0.noc"}) CHECK(is_met(scope, slow));
  CHECK(is_met("sips", "sip.io.router.overhead_ns=3"));
  CHECK(!is_met("sip0.cubes", "sip.io.router.overhead_ns=3"));
  CHECK(is_met("sip0.cubes", "sip.ucie.overhead_ns=3"));
  CHECK(!is_met("sip0.cube0.noc", "sip.ucie.overhead_ns=3"));
}

TEST_CASE("require_met: parts run, too, so a machine that has some meets whatever is set") {
  CHECK(is_met("sip0.cube0.noc", "cube.parts.x.model.impl=builtin.endpoint"));
}

TEST_CASE("require_met: an override that mends the file counts") {
  const TrafficChoice choice{.setup = {.scope = "mesh:2x2"},
                             .set = {"system.routing.impl=builtin.xy"},
                             .machine = [](const config::Overrides& overrides) {
                               return config::parse_machine("system: {routing: {impl: builtin.router}}",
                                                            "t.yaml", overrides, hw::ModelCatalog{});
                             }};
  CHECK_NOTHROW(
      require_met(choice, topology::traffic_case(choice.machine(choice.set), "mesh:2x2", "uniform")));
}

TEST_CASE("require_met: a length counts where a wire has it, a number of packages where packets go there") {
  CHECK(is_met("link", "cube.noc.w=2"));
  CHECK(!is_met("link", "cube.noc.h=2"));
  CHECK(is_met("mesh:2x2", "cube.noc.h=2"));
  CHECK(!is_met("mesh:2x1", "cube.noc.h=2"));
  CHECK(!is_met("mesh:1x1", "system.ns_per_mm=1"));
  CHECK(is_met("sips", "system.sips.count=3"));
  CHECK(!is_met("sip0.cubes", "system.sips.count=3"));
  CHECK(is_met("sip2.cubes", "system.sips.count=3"));  // sip2 doesn't exist without it
}

TEST_CASE("require_met: of settings that belong together none counts, or those that packets meet") {
  const config::Overrides model{"cube.noc.router.arbiter=oldest_first",
                                "cube.noc.router.impl=builtin.router_iq"};
  CHECK(refusal("mesh:2x2", model).empty());
  const std::string both = refusal("link", model);
  CHECK(both.find("cube.noc.router.arbiter: has no effect") != std::string::npos);
  CHECK(both.find("cube.noc.router.impl: has no effect") != std::string::npos);
}

TEST_CASE("require_met: what the file says already may be said again") {
  CHECK(is_met("link", "cube.noc.router.impl=builtin.router"));
  CHECK(refusal("sip0.cubes", {"sip.cube_mesh.w=2", "sip.cube_mesh.w=2"}).empty());
}

TEST_CASE("require_met: a pattern's packets may leave out what others meet") {
  CHECK(refusal("sip0.cubes", {"sip.cube_mesh.h=5"}).empty());
  CHECK(refusal("mesh:2x2", {"cube.noc.h=2"}, "neighbour") != "");  // along rows alone
}

}  // namespace kbsim::evaluate::test::traffic_settings_test
