// Finds the settings that affect packets of synthetic traffic, by leaving out each of them.
#include "kbsim/evaluate/traffic_settings.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/zip_with.hpp>

#include "kbsim/base/digest.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::evaluate {
namespace {

using topology::TrafficCase;

void add(Digest& digest, const topology::Node& node) {
  digest.add(node.name).add(node.model->impl);
  for (const auto& [name, value] : node.model->attrs)
    digest.add(name).add(std::visit([](const auto& v) { return fmt::format("{}", v); }, value));
}

std::uint64_t met_on(const topology::Graph& graph, const topology::Link& link) {
  Digest digest;
  add(digest, graph.node(link.from));
  add(digest, graph.node(link.to));
  digest.add(fmt::format("{}", link.bandwidth.gbs())).add(link.wire.count()).add(link.axis).add(link.wraps);
  digest.add(graph.node(link.from).stores).add(graph.node(link.to).stores);
  if (const config::ChipLinkSpec* const wire = link.framing)
    digest.add(wire->packet.count())
        .add(wire->receive.count())
        .add(wire->channels)
        .add(wire->frame.header.count())
        .add(wire->frame.payload.count())
        .add(wire->frame.overhead.count());
  return digest.value();
}

// By link: the settings that packets meet there; 0 for unused links.
std::vector<std::uint64_t> met_on_links(const TrafficCase& traffic) {
  const topology::Graph& graph = traffic.network.graph;
  const auto met = [&](double load, const topology::Link& link) {
    return load > 0.0 ? met_on(graph, link) : 0;
  };
  return ranges::views::zip_with(met, traffic.loads, graph.links()) | ranges::to<std::vector>;
}

// Digest of everything that packets meet on their routes.
std::uint64_t met(const TrafficCase& traffic, const std::vector<std::uint64_t>& links, bool replies) {
  const topology::TrafficNetwork& network = traffic.network;
  Digest digest;
  const auto add_route = [&](NodeId from, NodeId to) {
    for (const LinkId link : find_route(network.graph, from, to)) digest.add(links[link.value()]);
  };
  for (const std::size_t source : traffic.pattern.active) {
    traffic.pattern.each_target(source, network.sinks.size(), [&](std::size_t sink, double /*share*/) {
      digest.add(source).add(sink);
      add_route(network.sources[source], network.sinks[sink]);
      if (replies) add_route(network.sinks[sink], network.sources[source]);
    });
  }
  return digest.value();
}

// The machine without an override; none if the scope or another override needs it.
std::optional<config::MachineSpec> machine_with(const TrafficChoice& choice, const config::Overrides& set) {
  try {
    return choice.machine(set);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

// The user's own components run, too, and may send whatever they like.
bool has_parts(const topology::Graph& graph) {
  return std::ranges::find(graph.nodes(), topology::NodeKind::part, &topology::Node::kind) !=
         graph.nodes().end();
}

class TrafficJudge {
 public:
  TrafficJudge(const TrafficChoice& choice, const TrafficCase& traffic)
      : choice_{choice},
        resolved_{resolved(choice.machine(choice.set))},
        traffic_{traffic},
        links_{met_on_links(traffic)} {}

  [[nodiscard]] bool changes_nothing(std::size_t i) const {
    std::optional<config::MachineSpec> without = machine_with(choice_, choice_.set.without(i));
    if (!without) without = machine_with(choice_, {});  // others are of the model that this one chooses
    return without && resolved(*without) != resolved_ && meets_the_same(*without);
  }

 private:
  static std::string resolved(const config::MachineSpec& spec) {
    return config::resolved_yaml(spec, hw::ModelCatalog{});
  }

  [[nodiscard]] bool meets_the_same(const config::MachineSpec& spec) const {
    try {
      return meets_the_same(topology::traffic_case(spec, choice_.setup));
    } catch (const UsageError&) {  // the scope is of the machine as it was changed
      return false;
    } catch (const ConfigError&) {  // it can't be without what the override changes
      return false;
    }
  }
  // Routes take long to compare; links and their loads usually decide.
  [[nodiscard]] bool meets_the_same(const TrafficCase& other) const {
    if (has_parts(other.network.graph) || has_parts(traffic_.network.graph)) return false;
    const std::vector<std::uint64_t> links = met_on_links(other);
    if (links.size() == links_.size() && (links != links_ || other.loads != traffic_.loads)) return false;
    const bool replies = choice_.setup.reply > 0.0;
    return met(other, links, replies) == met(traffic_, links_, replies);
  }

  const TrafficChoice& choice_;
  std::string resolved_;
  const TrafficCase& traffic_;
  std::vector<std::uint64_t> links_;
};

}  // namespace

void require_met(const TrafficChoice& choice, const TrafficCase& traffic) {
  if (choice.set.empty()) return;
  const TrafficJudge judge{choice, traffic};
  std::vector<ConfigProblem> problems;
  for (std::size_t i = 0; i < choice.set.size(); ++i) {
    if (!judge.changes_nothing(i)) continue;
    const std::string& option = choice.set[i];
    problems.push_back(
        {{.file = "--set " + option},
         option.substr(0, option.find('=')),
         fmt::format("has no effect on kbsim traffic: no packet of --scope {} meets what it changes",
                     choice.setup.scope)});
  }
  if (!problems.empty()) throw ConfigError{std::move(problems)};
}

}  // namespace kbsim::evaluate
