#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/field.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/config/load.hpp"

namespace kbsim::config {

/// The direction of a NOC's links, and the axis along which messages go first.
enum class NocWay { east_south, north_west };

/// Bandwidths and latencies of one kind of node.
struct NocNodeSpec {
  Bandwidth injection = Bandwidth::gbs(28.1);
  Bandwidth memory = Bandwidth::gbs(64.0);
  Time latency = 130_ns;
  int outstanding = 1;

  static void describe(auto& f) {
    f.add("injection_gbs", &NocNodeSpec::injection, kPositive, "rate at which a NIU sends");
    f.add("memory_gbs", &NocNodeSpec::memory, kPositive,
          "rate at which the node's memory is read, by all NOCs");
    f.add("latency_ns", &NocNodeSpec::latency, kNotNegative, "from a read request to its first byte");
    f.add("outstanding", &NocNodeSpec::outstanding, between(1, 64), "answers that a NIU sends at a time");
  }
};

/// Two or more tori of unidirectional links over one grid of nodes, and the kinds of the nodes.
struct NocToriSpec {
  int w = 10;
  int h = 12;
  double clock_ghz = 1.0;
  std::vector<NocWay> ways{NocWay::east_south, NocWay::north_west};
  Bandwidth link = Bandwidth::gbs(32.0);
  Bandwidth sink = Bandwidth::gbs(32.0);
  int channels = 3;
  Time hop = 10_ns;
  Time niu = 20_ns;
  Time barrier = 80_ns;
  Time resume = 20_ns;
  NocNodeSpec worker;
  NocNodeSpec dram{
      .injection = Bandwidth::gbs(23.2), .memory = Bandwidth::gbs(23.2), .latency = 130_ns, .outstanding = 2};
  std::vector<std::string> dram_nodes;

  static void describe(auto& f) {
    f.add("w", &NocToriSpec::w, between(1, 64), "columns of nodes");
    f.add("h", &NocToriSpec::h, between(1, 64), "rows of nodes");
    f.add("clock_ghz", &NocToriSpec::clock_ghz, between(0.001, 1000),
          "of the counter that traces have stamps of");
    f.choice("ways", &NocToriSpec::ways, {"east_south", "north_west"},
             "a NOC each: which way its links lead; east_south along rows first, north_west along columns");
    f.add("link_gbs", &NocToriSpec::link, kPositive, "rate of a link");
    f.add("sink_gbs", &NocToriSpec::sink, kPositive, "rate at which a NIU takes what comes");
    f.add("channels", &NocToriSpec::channels, between(1, 1024),
          "transfers at a time on a link, of those that have wrapped around and of those that haven't");
    f.add("hop_ns", &NocToriSpec::hop, kNotNegative, "delay of a node that passes on");
    f.add("niu_ns", &NocToriSpec::niu, kNotNegative, "delay of a NIU, each time that it sends or takes");
    f.add("barrier_ns", &NocToriSpec::barrier, kNotNegative,
          "shortest time from a barrier's begin to its end");
    f.add("resume_ns", &NocToriSpec::resume, kNotNegative, "from what a barrier waited for last to its end");
    f.section("worker", &NocToriSpec::worker, "nodes that aren't in dram_nodes");
    f.section("dram", &NocToriSpec::dram, "the nodes of dram_nodes");
    f.add("dram_nodes", &NocToriSpec::dram_nodes, "where DRAM stands, as X-Y");
  }
};

/// The node X-Y by its number, row by row; none if there is none.
[[nodiscard]] std::optional<int> noc_node(const NocToriSpec& spec, std::string_view name);

/// Reads a file of a NOC; the overrides are of the file's keys. ConfigError with every mistake.
[[nodiscard]] NocToriSpec load_noc(const std::filesystem::path& file, const Overrides& overrides = {},
                                   const Folders& folders = {});
[[nodiscard]] NocToriSpec parse_noc(std::string_view text, const std::string& file_name,
                                    const Overrides& overrides = {});

}  // namespace kbsim::config
