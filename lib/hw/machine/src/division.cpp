#include "kbsim/hw/division.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_switched.hpp"

namespace kbsim::hw {
namespace {

// Each process shuffles ties in its own order.
std::vector<std::unique_ptr<Simulation>> simulations(std::size_t packages, const SimulationOptions& each) {
  std::vector<std::unique_ptr<Simulation>> all;
  for (std::size_t i = 0; i < packages; ++i) {
    SimulationOptions options = each;
    if (options.shuffle_ties) *options.shuffle_ties += i + 1;
    all.push_back(std::make_unique<Simulation>(options));
  }
  return all;
}

std::vector<std::unique_ptr<Fabric>> fabrics(Fabric& whole,
                                             const std::vector<std::unique_ptr<Simulation>>& sims) {
  std::vector<std::unique_ptr<Fabric>> all;
  for (const auto& sim : sims) all.push_back(std::make_unique<Fabric>(whole, *sim));
  return all;
}

std::vector<Fabric*> with(Fabric& first, const std::vector<std::unique_ptr<Fabric>>& others) {
  std::vector<Fabric*> all{&first};
  for (const auto& one : others) all.push_back(one.get());
  return all;
}

std::vector<Simulation*> with(Simulation& first, const std::vector<std::unique_ptr<Simulation>>& others) {
  std::vector<Simulation*> all{&first};
  for (const auto& one : others) all.push_back(one.get());
  return all;
}

}  // namespace

Division::Division(Simulation& host, Fabric& whole, const SimulationOptions& each)
    : whole_{whole},
      sims_{simulations(whole.graph().sips().size(), each)},
      of_packages_{fabrics(whole, sims_)},
      fabrics_{with(whole, of_packages_)},
      windows_{std::make_unique<Windows>(with(host, sims_))} {}

Division::~Division() = default;

bool Division::crosses(const LiveLink& link) const {
  const topology::Graph& graph = whole_.graph();
  return process(graph.node(link.from)) != process(graph.node(link.to));
}

// A node that chooses among packets, or waits for room downstream, may decide only when the link is free.
bool Division::may_hold_packets(NodeId node) const {
  const Component& from = whole_.component(node);
  const auto waits = [&](LinkId id) {
    const LiveLink& link = whole_.live(id);
    return input_queues(whole_.component(link.to)) != nullptr || !whole_.takes_time(link);
  };
  return !from.only_passes_on() || whole_.graph().node(node).stores || input_queues(from) != nullptr ||
         std::ranges::any_of(whole_.graph().out(node), waits);
}

// Other nodes pass a packet on when its head arrives, so it is known for their overhead before it leaves.
Time Division::least_time(const LiveLink& link) const {
  return (may_hold_packets(link.from) ? Time{0} : whole_.component(link.from).steady_overhead()) + link.wire;
}

std::string Division::obstacle() const {
  const topology::Graph& graph = whole_.graph();
  const std::vector<LiveLink>& links = whole_.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LiveLink& link = links[i];
    const LinkId id{static_cast<std::uint32_t>(i)};
    // A packet may keep a slot until it is in another package.
    if (graph.link(id).slots != nullptr)
      return fmt::format("the link {} has slots (credits)", graph.link_name(id));
    if (!crosses(link)) continue;
    const Component& from = whole_.component(link.from);
    const std::string name = graph.link_name(id);
    if (least_time(link) < kLeastLookahead)
      return fmt::format("the link {} takes {}, less than {}", name, to_string(least_time(link)),
                         to_string(kLeastLookahead));
    if (input_queues(whole_.component(link.to)) != nullptr || input_queues(from) != nullptr)
      return fmt::format("the link {} joins finite queues", name);
  }
  return "";
}

FabricBorder& Division::border(std::size_t from, std::size_t to) {
  const auto joins = [&](const auto& border) { return border->from() == from && border->to() == to; };
  const auto known = std::ranges::find_if(borders_, joins);
  if (known != borders_.end()) return **known;
  return *borders_.emplace_back(std::make_unique<FabricBorder>(*windows_, from, to, *fabrics_[to]));
}

void Division::add_borders() {
  const topology::Graph& graph = whole_.graph();
  const std::vector<LiveLink>& links = whole_.links();
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    if (!crosses(links[i])) continue;
    whole_.cross_by(LinkId{i}, border(process(graph.node(links[i].from)), process(graph.node(links[i].to))));
  }
  for (std::size_t i = 1; i < processes(); ++i)
    changes_.push_back(std::make_unique<ChangeBorder>(*windows_, 0, i));
}

// A switch may choose a packet when the link is free: then only the wire's delay is certain.
void Division::set_lookahead() {
  std::map<FabricBorder*, Time> least;
  for (const LiveLink& link : whole_.links()) {
    if (link.border() == nullptr) continue;
    const bool waits = link.from_switch() != nullptr || whole_.arrivals(link.from) == nullptr;
    const Time takes = (waits ? Time{0} : whole_.component(link.from).steady_overhead()) + link.wire;
    const auto [known, fresh] = least.try_emplace(link.border(), takes);
    if (!fresh) known->second = std::min(known->second, takes);
  }
  Time shortest = kForever;
  for (const auto& [border, takes] : least) {
    if (takes < kLeastLookahead)
      throw Unsupported{
          fmt::format("a switch between packages, whose links take {}, can't be simulated by several "
                      "threads: --num-threads 1",
                      to_string(takes))};
    border->set_lookahead(takes);
    shortest = std::min(shortest, takes);
  }
  for (const auto& change : changes_) change->set_lookahead(shortest);
}

void Division::apply(int sip, std::function<void()> change) const {
  ChangeBorder& border = *changes_[static_cast<std::size_t>(sip)];
  border.post(whole_.sim().now() + border.lookahead(), std::move(change));
}

void change(Machine& machine, int sip, std::function<void()> change) {
  const Division* const division = machine.division();
  if (division == nullptr || Windows::running() != 0) return change();
  division->apply(sip, std::move(change));
}

void Division::clear() {
  for (const auto& sim : sims_) sim->clear();
}

}  // namespace kbsim::hw
