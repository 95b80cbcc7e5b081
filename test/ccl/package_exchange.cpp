// The neighbours of each PE in package_exchange, from the definition.
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/ccl/mapper.hpp"

#include "plans.hpp"

namespace kbsim::ccl::test::package_exchange_test {
namespace {

using ByLabel = std::map<std::string, PeCoord>;

Wiring wired(const config::MachineSpec& spec, const std::vector<PeCoord>& participants) {
  return topologies().at("package_exchange").wire(spec, participants);
}

ByLabel by_label(const Wiring& wiring, PeCoord at) {
  ByLabel labels;
  for (const Neighbour& one : wiring.at(at)) CHECK(labels.emplace(one.direction, one.peer).second);
  return labels;
}

ByLabel expected(PeCoord at, int w, int h, int pes) {
  ByLabel labels;
  for (int pe = 0; pe < pes; ++pe) labels["pe" + std::to_string(pe)] = {at.sip, at.cube, pe};
  for (int x = 0; x < w; ++x) labels["row" + std::to_string(x)] = {at.sip, at.cube / w * w + x, at.pe};
  for (int y = 0; y < h; ++y) labels["col" + std::to_string(y)] = {at.sip, y * w + at.cube % w, at.pe};
  std::erase_if(labels, [&](const auto& label) { return label.second == at; });
  return labels;
}

}  // namespace

TEST_CASE("package_exchange: each PE has its cube's others, and its own number in its row and its column") {
  for (const auto& [w, h] : {std::pair{1, 1}, {3, 1}, {1, 2}, {3, 2}, {4, 4}}) {
    const config::MachineSpec spec = machine(2, w, h);
    const Wiring wiring = wired(spec, mappers().at("all_pes").participants(spec));
    CHECK(wiring.size() == static_cast<std::size_t>(2 * w * h * spec.pes_per_cube()));
    for (const auto& [at, neighbours] : wiring)
      CHECK(by_label(wiring, at) == expected(at, w, h, spec.pes_per_cube()));
  }
}

TEST_CASE("package_exchange: both ends of a queue have the other's number as label") {
  const config::MachineSpec spec = machine(1, 3, 2);
  const Wiring wiring = wired(spec, mappers().at("all_pes").participants(spec));
  for (const auto& [at, neighbours] : wiring) {
    for (const Neighbour& to : neighbours) {
      const std::string back = reverse_direction(wiring, at, to);
      CHECK(by_label(wiring, to.peer).at(back) == at);
      CHECK(back.substr(0, 2) == to.direction.substr(0, 2));
    }
  }
}

TEST_CASE("package_exchange: PEs that don't take part are no neighbours") {
  const config::MachineSpec spec = machine(1, 2, 1);
  const PeCoord one{0, 0, 1};
  const PeCoord other{0, 1, 1};
  const Wiring wiring = wired(spec, {one, other});
  CHECK(by_label(wiring, one) == ByLabel{{"row1", other}});
  CHECK(by_label(wiring, other) == ByLabel{{"row0", one}});
}

}  // namespace kbsim::ccl::test::package_exchange_test
