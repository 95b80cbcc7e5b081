#include <doctest/doctest.h>

#include "kbsim/config/describe.hpp"

#include "support.hpp"

using namespace kbsim;

TEST_CASE("Parts: a name, a model and a link, in the file or by --set") {
  const config::MachineSpec spec = machine(
      "cube:\n  parts:\n    scrubber: {model: {impl: builtin.xbar, overhead_ns: 3}, link_bw_gbs: 32}\n",
      {"pe.parts.sorter.model.impl=builtin.xbar", "sip.io.parts.meter.model={impl: builtin.xbar}"});
  const config::PartSpec& scrubber = spec.cube.parts.at("scrubber");
  CHECK(scrubber.model.impl == "builtin.xbar");
  CHECK(std::get<double>(scrubber.model.attrs.at("overhead_ns")) == 3.0);
  CHECK(scrubber.link == Bandwidth::gbs(32.0));
  CHECK(spec.pe.parts.at("sorter").link == Bandwidth::gbs(256.0));
  CHECK(spec.sip.io.parts.contains("meter"));
}

TEST_CASE("Parts: without a model, with an unknown one, or under no name they are refused") {
  CHECK(machine_errors("cube: {parts: {a: {link_bw_gbs: 1}}}") ==
        "t.yaml:1:19: cube.parts.a: it has no model, expected e.g. model: {impl: my.part}");
  CHECK(machine_errors("cube: {parts: {a: {model: {impl: builtin.xbr}}}}") ==
        "t.yaml:1:34: cube.parts.a.model.impl: unknown model 'builtin.xbr', did you mean 'builtin.xbar'?");
  CHECK(machine_errors("pe: {parts: {a.b: {model: {impl: builtin.xbar}}}}") ==
        "t.yaml:1:13: pe.parts: 'a.b' is no name for a part, expected letters, digits and _");
  CHECK(machine_errors("pe: {parts: 3}").starts_with("t.yaml:1:13: pe.parts: found '3', expected a map"));
}

TEST_CASE("Parts: the resolved copy has them, and reads as the same machine") {
  const config::MachineSpec spec =
      machine("cube: {parts: {scrubber: {model: {impl: builtin.xbar, overhead_ns: 3}}}}");
  const std::string copy = resolved_yaml(spec, kModels);
  CHECK(resolved_yaml(machine(copy), kModels) == copy);
  CHECK(machine(copy).cube.parts.at("scrubber").model.attrs == spec.cube.parts.at("scrubber").model.attrs);
}

TEST_CASE("Routing: a component section, so that a model of one's own may have attributes") {
  CHECK(machine("system: {routing: {impl: builtin.xy}}").system.routing.impl == "builtin.xy");
  CHECK(machine_errors("system: {routing: {impl: builtin.yx}}") ==
        "t.yaml:1:26: system.routing.impl: unknown model 'builtin.yx', did you mean 'builtin.xy'?");
  CHECK(machine_errors("system: {routing: {impl: builtin.xy, vcs: 2}}").find("vcs: unknown key") !=
        std::string::npos);
}
