// Floor plans and listed links: reading, the resolved copy, and mistakes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/config/describe.hpp"

#include "support.hpp"

using namespace kbsim;
using namespace kbsim::config;

namespace {

constexpr const char* kTwoRows = "cube:\n  noc: {w: 4, h: 2}\n  floorplan:\n";

// The mistakes of a plan on 4 x 2 routers.
std::string plan_errors(const std::string& plan) { return machine_errors(kTwoRows + plan); }

FloorPlan plan_of(const std::string& plan) { return floor_plan(machine(kTwoRows + plan).cube); }

}  // namespace

TEST_CASE("Floor plan: a map, a grid and a list mean the same") {
  const FloorPlan by_map = plan_of("    map: [\".PP.\", \".PP.\"]\n");
  CHECK(by_map.pes == std::vector{1, 2, 5, 6});
  CHECK(plan_of("    pe: {grid: {x: [1-2], y: [0-1]}}\n").pes == by_map.pes);
  CHECK(plan_of("    pe: {grid: {x: [1, 2], y: [0, 1]}}\n").pes == by_map.pes);
  CHECK(plan_of("    pe: {at: [[1, 0], [2, 0], [1, 1], [2, 1]]}\n").pes == by_map.pes);
  CHECK(plan_of("    pe: {at: [\"1,0\", \"2,0\", \"1,1\", \"2,1\"]}\n").pes == by_map.pes);
  CHECK(plan_of("    pe: {at: [3, 1]}\n").pes == std::vector{7});  // a single pair needs no outer list
  CHECK(plan_of("    pe: {at: [3, 1], per_router: 3}\n").pes == std::vector{7, 7, 7});
}

TEST_CASE("Floor plan: places that aren't given are where a cube without a plan has them") {
  const FloorPlan plan = plan_of("    pe: {at: [0, 0]}\n");
  const FloorPlan usual = floor_plan(machine("cube: {noc: {w: 4, h: 2}}").cube);
  CHECK(plan.ports == usual.ports);
  CHECK(plan.m_cpu == usual.m_cpu);
  CHECK(plan.sram == usual.sram);
  const FloorPlan own =
      plan_of("    pe: {at: [0, 0]}\n    port: {e: [0, 0], s: [1, 0]}\n    m_cpu: {at: [3, 0]}\n");
  CHECK(own.ports == std::array{0, usual.ports[1], usual.ports[2], 1});
  CHECK(own.m_cpu == 3);
}

TEST_CASE("Floor plan: channels stand in the map or in a list, with several ports") {
  CHECK(plan_of("    map: [\"HP.H\", \"HP.H\"]\n").channels ==
        std::vector<std::vector<int>>{{0}, {3}, {4}, {7}});
  const MachineSpec spec =
      machine(std::string{kTwoRows} +
              "    pe: {grid: {x: [1-2], y: [0]}}\n"
              "    hbm: {channels: [{at: [[0, 0], [0, 1]]}, {at: [3, 0]}], channel_bytes: 1GiB}\n");
  CHECK(floor_plan(spec.cube).channels == std::vector<std::vector<int>>{{0, 4}, {3}});
  CHECK(spec.hbm_per_pe() == 1_GiB);
  CHECK(spec.pes_per_cube() == 2);
}

TEST_CASE("Floor plan: pe_layout is a shorthand of the plan that is printed") {
  for (const char* layout :
       {"", "pe_layout: {corners: [SE, NW], pe_per_corner: 3}", "noc: {w: 3, h: 5}", "noc: {w: 1, h: 1}"}) {
    const MachineSpec usual = machine(fmt::format("cube: {{{}}}", layout));
    std::string plan = floor_plan_yaml(usual.cube);
    std::string text = "cube:\n";
    if (usual.cube.noc.w != 4)
      text += fmt::format("  noc: {{w: {}, h: {}}}\n", usual.cube.noc.w, usual.cube.noc.h);
    for (std::size_t at = 0; (at = plan.find('\n', at)) != std::string::npos && at + 1 < plan.size(); at += 3)
      plan.insert(at + 1, "  ");
    const MachineSpec planned = machine(text + "  " + plan);
    const FloorPlan a = floor_plan(usual.cube);
    const FloorPlan b = floor_plan(planned.cube);
    CHECK(a.pes == b.pes);
    CHECK(a.ports == b.ports);
    CHECK(b.channels.empty());
  }
}

TEST_CASE("Floor plan: the resolved copy reads back to itself") {
  for (const std::string plan :
       {"    pe: {at: [0, 0]}\n", "    map: [\"HP.H\", \"#P.H\"]\n    port: {w: [0, 0]}\n",
        "    pe: {grid: {x: [1-2], y: [0]}}\n    hbm: {channels: [{at: [[0, 0], [0, 1]]}], interleave_bytes: "
        "0}\n"}) {
    const std::string once = resolved_yaml(machine(kTwoRows + plan), kModels);
    CHECK(resolved_yaml(machine(once), kModels) == once);
    CHECK(once.find("pe_layout") == std::string::npos);
  }
}

TEST_CASE("Floor plan: mistakes name their place") {
  CHECK(plan_errors("    pe: {at: [4, 0]}\n") ==
        "t.yaml:4:14: cube.floorplan.pe.at: there is no router at [4, 0]: the NOC has 4 x 2");
  CHECK(plan_errors("    pe: {grid: {x: [1-4], y: [0]}}\n") ==
        "t.yaml:4:20: cube.floorplan.pe.grid.x: 1-4 reaches beyond the last one, 3");
  CHECK(plan_errors("    pe: {grid: {x: [2-1], y: [0]}}\n") ==
        "t.yaml:4:20: cube.floorplan.pe.grid.x: '2-1' is neither a number nor a range like 1-4");
  CHECK(plan_errors("    pe: {at: [[0, 0, 1]]}\n") ==
        "t.yaml:4:15: cube.floorplan.pe.at: found a list, expected a list of pairs, like [[0, 1], [2, 1]]");
  CHECK(plan_errors("    pe: {at: [[a, 1]]}\n") ==
        "t.yaml:4:14: cube.floorplan.pe.at: 'a,1' is no router, expected x,y");
  CHECK(plan_errors("    map: [\"PP..\"]\n") ==
        "t.yaml:4:10: cube.floorplan.map: it has 1 row, expected 2 (cube.noc.h)");
  CHECK(plan_errors("    map: [\"PP..\", \"P\"]\n") ==
        "t.yaml:4:10: cube.floorplan.map: the row 'P' has 1 place, expected 4 (cube.noc.w)");
  CHECK(plan_errors("    map: [\"PP..\", \"..x.\"]\n") ==
        "t.yaml:4:10: cube.floorplan.map: 'x' stands for nothing, expected P, H, . or #");
  CHECK(plan_errors("    map: [\"P#.P\", \"##.P\"]\n    m_cpu: {at: [3, 0]}\n    port: {w: [0, 0]}\n") ==
        "t.yaml:4:10: cube.floorplan.map: its routers fall apart: some can't reach others");
  CHECK(
      plan_errors("    map: [\"PP..\", \"....\"]\n    pe: {at: [0, 0]}\n") ==
      "t.yaml:5:9: cube.floorplan.pe: PEs are given twice, expected one of pe.at, pe.grid and a map with P");
  CHECK(plan_errors("    map: [\"H...\", \"....\"]\n") ==
        "t.yaml:4:5: cube.floorplan.pe: the plan has no PE: expected pe.at, pe.grid or a map with P");
  CHECK(plan_errors("    hbm: {bw_gbs: 3}\n") ==
        "t.yaml:4:10: cube.floorplan.hbm: the plan has no PE: expected pe.at, pe.grid or a map with P");
  CHECK(plan_errors("    pe: {at: [0, 0], per_router: 16}\n    hbm: {bw_gbs: 3}\n") ==
        "t.yaml:5:19: cube.floorplan.hbm.bw_gbs: has no effect: the plan has no memory channels");
}

TEST_CASE("Floor plan: memory that doesn't fit it, and keys beside it, are refused") {
  const std::string channel = "    pe: {at: [0, 0]}\n    hbm: {channels: [{at: [1, 0]}], ";
  CHECK(plan_errors(channel + "channel_bytes: 1MiB, interleave_bytes: 3000}\n") ==
        "t.yaml:5:76: cube.floorplan.hbm.interleave_bytes: 3000 B doesn't divide the 1 MiB of a channel");
  CHECK(plan_errors("    pe: {at: [0, 0]}\n    hbm: {channels: [{at: []}]}\n") ==
        "t.yaml:5:27: cube.floorplan.hbm.channels.0.at: the channel has no port, expected the routers of its "
        "ports");
  CHECK(plan_errors("    pe: {at: [0, 0]}\n    hbm: {channels: [{at: [[1, 0], [1, 0]]}]}\n") ==
        "t.yaml:5:27: cube.floorplan.hbm.channels.0.at: the port [1, 0] is there twice");
  CHECK(plan_errors("    pe: {at: [0, 0]}\n  pe_layout: {pe_per_corner: 1}\n") ==
        "t.yaml:5:14: cube.pe_layout: stands beside a floorplan, expected one of them");
  CHECK(plan_errors(channel + "bw_gbs: 8}\n  xbar_to_hbm_bw_gbs: 3\n") ==
        "t.yaml:6:23: cube.xbar_to_hbm_bw_gbs: has no effect: the PEs share the memory channels of the "
        "floorplan");
  CHECK(plan_errors(channel + "bw_gbs: 8}\n  memory: {hbm_bytes_per_pe: 3GiB}\n") ==
        "t.yaml:6:30: cube.memory.hbm_bytes_per_pe: found 3 GiB, but a PE's share of the floorplan's "
        "channels is 1 "
        "GiB: leave it out");
  CHECK(plan_errors("    pe: {at: [0, 0], per_router: 16}\n    hbm: {channels: [{at: [1, 0]}], "
                    "channel_bytes: 4KiB}\n") ==
        "t.yaml:5:52: cube.floorplan.hbm.channel_bytes: too little for 16 PEs: a PE's share is less than a "
        "page of 4 "
        "KiB");
}

TEST_CASE("Floor plan: one-way links need rings, and rings need their routers") {
  CHECK(machine_errors("cube: {noc: {links: [east_south]}}") ==
        "t.yaml:1:21: cube.noc.links: one-way links reach all routers only round rings, expected wrap: true "
        "beside "
        "them");
  CHECK(machine_errors("cube: {noc: {links: []}}") ==
        "t.yaml:1:21: cube.noc.links: found an empty list, expected a network at least");
  CHECK(machine_errors("cube:\n  noc: {w: 2, h: 2, wrap: true, links: [north_west]}\n  floorplan:\n"
                       "    map: [\"#P\", \"PP\"]\n    port: {w: [0, 1], n: [1, 0]}\n") ==
        "t.yaml:4:10: cube.floorplan.map: one-way rings need all of their routers, expected no # in the map");
}

TEST_CASE("Listed links: keys that one leaves out are those of `link`") {
  const MachineSpec spec = machine(
      "system:\n  sips:\n    count: 2\n    topology: links\n    link: {bw_gbs: 12.5, latency_ns: 700}\n"
      "    links: [{a: sip0, b: sw}, {a: sw, b: sip1, bw_gbs: 50}]\n");
  const std::vector<ListedLinkSpec>& links = spec.system.sips.links;
  REQUIRE(links.size() == 2);
  CHECK(links[0].bandwidth == Bandwidth::gbs(12.5));
  CHECK(links[1].bandwidth == Bandwidth::gbs(50));
  CHECK(links[1].latency == 700_ns);
  const std::string once = resolved_yaml(spec, kModels);
  CHECK(resolved_yaml(machine(once), kModels) == once);
  const MachineSpec set = machine(once, {"system.sips.links.1.latency_ns=5"});
  CHECK(set.system.sips.links[1].latency == 5_ns);
  CHECK(set.system.sips.links[0].latency == 700_ns);
  for (const char* const number : {"2", "-1", "sip0"}) {
    CHECK_THROWS_WITH_AS(
        (void)machine(once, {fmt::format("system.sips.links.{}.latency_ns=5", number)}),
        doctest::Contains(fmt::format("system.sips.links: there is no item {}: the list has 2 "
                                      "items, 0 to 1",
                                      number)
                              .c_str()),
        ConfigError);
  }
}

TEST_CASE("Links between chips: rates beyond the range and frames without effect name their place") {
  const auto errors = [](const std::string& link) {
    return machine_errors("system:\n  sips:\n    link: {" + link + "}\n");
  };
  CHECK(errors("bw_gbs: 1e9, channels: 2") ==
        "t.yaml:3:20: system.sips.link.bw_gbs: bw_gbs x channels x efficiency is 2e+09 GB/s, expected 0.001 "
        "to 1e+09");
  CHECK(errors("bw_gbs: 0.001, efficiency: 0.5") ==
        "t.yaml:3:20: system.sips.link.bw_gbs: bw_gbs x channels x efficiency is 0.0005 GB/s, expected 0.001 "
        "to 1e+09");
  CHECK(errors("frame: {overhead_bytes: 5}") ==
        "t.yaml:3:36: system.sips.link.frame.overhead_bytes: has no effect without payload_bytes");
  CHECK(errors("frame: {payload_bytes: 5}") ==
        "t.yaml:3:35: system.sips.link.frame.payload_bytes: has no effect without overhead_bytes");
}

TEST_CASE(
    "Links between chips: a port receives no more slowly than the other one sends, and one sends back") {
  const auto errors = [](const std::string& sips) {
    return machine_errors("system:\n  sips:\n    " + sips + "\n");
  };
  CHECK(errors("link: {packet_ns: 240, receive_ns: 240, store_and_forward: true}").empty());
  CHECK(errors("link: {packet_ns: 240, receive_ns: 240.001, store_and_forward: true}") ==
        "t.yaml:3:40: system.sips.link.receive_ns: receive_ns is 240.001 ns, more than packet_ns, 240 ns: a "
        "port would receive more slowly than the other one sends");
  CHECK(errors("link: {receive_ns: -1}") ==
        "t.yaml:3:24: system.sips.link.receive_ns: found '-1', expected a number from 0 to 1000000000");
  CHECK(errors("link: {packet_ns: 240, receive_ns: 90}") ==
        "t.yaml:3:40: system.sips.link.receive_ns: has no effect without store_and_forward");
  CHECK(errors("link: {store_and_forward: 2}")
            .starts_with("t.yaml:3:31: system.sips.link.store_and_forward: "));
  CHECK(machine_errors("system: {sips: {topology: ring_1d_unidir, link: {packet_ns: 9, receive_ns: 9, "
                       "store_and_forward: true}}}") ==
        "t.yaml:1:76: system.sips.link.receive_ns: has no effect on a one-way ring: no port both sends and "
        "receives");
  CHECK(machine_errors("system: {sips: {count: 2, topology: links, links: [{a: sip0, b: sip1, receive_ns: 9, "
                       "store_and_forward: true}]}}")
            .find("system.sips.links.0.receive_ns: receive_ns is 9 ns, more than packet_ns") !=
        std::string::npos);
}

TEST_CASE("Floor plan: numbers beyond any grid are refused, however many there are") {
  CHECK(plan_errors("    pe: {grid: {x: [0-99999], y: [0-99999, 0-99999]}}\n") ==
        "t.yaml:4:20: cube.floorplan.pe.grid.x: 0-99999 reaches beyond the last one, 3\n"
        "t.yaml:4:34: cube.floorplan.pe.grid.y: 0-99999 reaches beyond the last one, 1\n"
        "t.yaml:4:34: cube.floorplan.pe.grid.y: 0-99999 reaches beyond the last one, 1");
  CHECK(plan_errors("    pe: {grid: {x: [0-2147483647], y: [0]}}\n") ==
        "t.yaml:4:20: cube.floorplan.pe.grid.x: '0-2147483647' is neither a number nor a range like 1-4");
}

TEST_CASE("Software of a library: each collective's calls have a name, and one entry") {
  CHECK(
      machine_errors("software: {calls: [{call_ns: 5}]}")
          .find("software.calls.0.collective: not given, expected the name of a collective, as all_gather") !=
      std::string::npos);
  CHECK(machine_errors("software:\n  calls:\n  - {collective: a}\n  - {collective: a}\n") ==
        "t.yaml:4:18: software.calls.1.collective: a second entry for a");
  CHECK(machine_errors("software: {calls: [{collective: a, call_ns: -1}]}").find("call_ns") !=
        std::string::npos);
}

TEST_CASE("Floor plan: holes where parts stand name the place") {
  CHECK(plan_errors("    map: [\"PPP#\", \"PPPP\"]\n    m_cpu: {at: [3, 0]}\n")
            .find("there is no router at [3, 0]: the map has # there") != std::string::npos);
  const std::string around = plan_errors("    map: [\"PP#P\", \"P##P\"]\n");
  CHECK_MESSAGE(around.find("the map has # at its usual place, [2, ") != std::string::npos, around);
}

TEST_CASE("Slots between chips: rings need a bubble, and nothing else has one") {
  const auto errors = [](const std::string& sips) {
    return machine_errors("system: {sips: {" + sips + "}}");
  };
  for (const char* const fits :
       {"count: 4, topology: ring_1d, link: {credits: 2}, bubble: true",
        "count: 3, topology: ring_1d, link: {credits: 1}",
        "count: 3, topology: ring_1d_unidir, link: {credits: 2}, bubble: true",
        "count: 9, topology: torus_2d, link: {credits: 1}",
        "count: 16, topology: mesh_2d_no_wrap, link: {credits: 1}",
        "count: 8, topology: torus_2d, w: 2, h: 4, link: {credits: 8}, bubble: true"}) {
    CHECK_MESSAGE(errors(fits).empty(), errors(fits));
  }
  CHECK(errors("count: 4, topology: ring_1d, link: {credits: 2}") ==
        "t.yaml:1:62: system.sips.link.credits: packets that hold a slot could wait for one another round a "
        "ring of packages, expected system.sips.bubble: true beside it");
  CHECK(errors("count: 3, topology: ring_1d_unidir, link: {credits: 2}").find("round a ring") !=
        std::string::npos);
  CHECK(errors("count: 4, topology: ring_1d, bubble: true") ==
        "t.yaml:1:54: system.sips.bubble: has no effect without system.sips.link.credits");
  CHECK(
      errors("count: 4, topology: ring_1d, link: {credits: 1}, bubble: true") ==
      "t.yaml:1:62: system.sips.link.credits: found 1, expected at least 2: with a bubble two must be free");
  for (const char* const none :
       {"count: 4, topology: full, link: {credits: 2}, bubble: true",
        "count: 9, topology: torus_2d, link: {credits: 2}, bubble: true",
        "count: 2, topology: links, links: [{a: sip0, b: sip1}], link: {credits: 2}, bubble: true"}) {
    CHECK_MESSAGE(
        errors(none).find("system.sips.bubble: has no effect: no route goes over two wires of a ring") !=
            std::string::npos,
        errors(none));
  }
  CHECK(errors("link: {credits: -1}").find("system.sips.link.credits: ") != std::string::npos);
}

TEST_CASE("Networks of a cube: mistakes name their place") {
  const auto errors = [](const std::string& noc) { return machine_errors("cube: {noc: {" + noc + "}}"); };
  CHECK(errors("links: [both, both], use: {writes: noc1}").empty());
  CHECK(errors("wrap: true, links: [east_south, north_west], use: {reads: noc1}").empty());
  CHECK(errors("use: {reads: noc0}") ==
        "t.yaml:1:27: cube.noc.use.reads: has no effect: the cube has one network (cube.noc.links)");
  CHECK(errors("links: [both, both], use: {writes: noc2, reads: noc1}") ==
        "t.yaml:1:49: cube.noc.use.writes: noc2 doesn't exist: cube.noc.links has 2 networks");
  CHECK(errors("links: [both, both]") ==
        "t.yaml:1:21: cube.noc.links: no traffic takes noc1; cube.noc.use says what takes which");
  CHECK(errors("links: [both, both, both, both, both]") ==
        "t.yaml:1:21: cube.noc.links: found 5 networks, expected at most 4");
  CHECK(errors("links: [both, both], use: {writes: noc4}").find("expected one of noc0, noc1, noc2, noc3") !=
        std::string::npos);
  CHECK(errors("links: [], use: {writes: noc1}") ==
        "t.yaml:1:21: cube.noc.links: found an empty list, expected a network at least");
  CHECK(errors("links: [both, foo], use: {writes: noc1}").find("use") == std::string::npos);
  CHECK(errors("links: [both, north_west], use: {writes: noc1}").find("expected wrap: true beside them") !=
        std::string::npos);
}

TEST_CASE("Listed links: mistakes name their place") {
  const auto errors = [](const std::string& links) {
    return machine_errors("system:\n  sips:\n    count: 3\n    topology: links\n    links: " + links + "\n");
  };
  CHECK(errors("[{a: sip0, b: sip1}, {a: sip1, b: sip2}, {a: sip1, b: SIP0}]") ==
        "t.yaml:5:66: system.sips.links.2.b: 'SIP0' is no package, like sip0, and as a switch it joins "
        "nothing");
  CHECK(
      errors("[{a: sip0, b: sip1}, {a: sip1, b: sip2}, {a: sw0, b: sw1}, {a: sw1, b: sw0}]")
          .find("system.sips.links.2.a: 'sw0' is no package, like sip0, and as a switch it joins nothing") !=
      std::string::npos);
  CHECK(errors("[{a: sip0, b: sip01}, {a: sip1, b: sip2}, {a: sip1, b: sip0}]")
            .find("'sip01' names neither a package, like sip0, nor a switch") != std::string::npos);
  CHECK(machine_errors(
            "system: {sips: {topology: links, links: [{a: sip0, b: sip1}], switch: {overhead_ns: 3}}}")
            .find("system.sips.switch: has no effect: `links` names no switch") != std::string::npos);
  CHECK(errors("[{a: sip0, b: sip1}, {a: sip1, b: sip2}, {a: sip1, b: sip0}]") ==
        "t.yaml:5:66: system.sips.links.2.b: links.0 joins sip1 and sip0, too: a second link is never used; "
        "`channels` makes the first one wider");
  CHECK(errors("[]") ==
        "t.yaml:5:12: system.sips.links: no links lead from sip0 to sip1\n"
        "t.yaml:5:12: system.sips.links: no links lead from sip0 to sip2");
  CHECK(errors("[{a: sip0, b: sip1}, {a: sip1, b: sip3}, {a: sip2, b: sip1}]") ==
        "t.yaml:5:46: system.sips.links.1.b: there is no sip3: the machine has 3 packages");
  CHECK(errors("[{a: sip0, b: sip1}, {a: sip1, b: sip2}, {a: sip2, b: sip2}]") ==
        "t.yaml:5:66: system.sips.links.2.b: the link joins sip2 to itself");
  CHECK(
      errors("[{a: sip0, b: sip1}, {a: sip1, b: sip2}, {a: sip2, b: host}]") ==
      "t.yaml:5:66: system.sips.links.2.b: 'host' names neither a package, like sip0, nor a switch: letters, "
      "digits and _, not sip, host or switch");
  CHECK(
      errors("3").starts_with("t.yaml:5:12: system.sips.links: found '3', expected a list, each item a map "
                              "with keys of a, b, bw_gbs, "
                              "length_mm, latency_ns, channels, efficiency, packet_ns, receive_ns, "
                              "store_and_forward, credits, frame"));
  CHECK(machine_errors("system: {sips: {links: [{a: sip0, b: sip1}]}}") ==
        "t.yaml:1:24: system.sips.links: has no effect without system.sips.topology: links");
}
