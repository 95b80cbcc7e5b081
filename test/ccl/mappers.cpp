#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/mapper.hpp"

#include "plans.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

std::vector<PeCoord> participants(const char* mapper, const config::MachineSpec& spec) {
  return mappers().at(mapper).participants(spec);
}

}  // namespace

TEST_CASE("leader_only: PE 0 of cube 0 of each package") {
  CHECK(participants("leader_only", machine(2, 1, 2)) ==
        std::vector<PeCoord>{{.sip = 0, .cube = 0}, {.sip = 1, .cube = 0}});
}

TEST_CASE("cube_leaders: PE 0 of each cube of each package") {
  CHECK(participants("cube_leaders", machine(2, 1, 2)) ==
        std::vector<PeCoord>{
            {.sip = 0, .cube = 0}, {.sip = 0, .cube = 1}, {.sip = 1, .cube = 0}, {.sip = 1, .cube = 1}});
}

TEST_CASE("all_pes: as many as the layout of a cube has") {
  config::MachineSpec spec = machine(1);
  spec.cube.pe_layout = {.corners = {config::Corner::SE}, .pe_per_corner = 3};
  CHECK(participants("all_pes", spec) == std::vector<PeCoord>{{.pe = 0}, {.pe = 1}, {.pe = 2}});
}

TEST_CASE("Mappers: all that are registered say what they are, and list PEs in order, each once") {
  for (const auto& [name, mapper] : mappers().entries()) {
    CAPTURE(name);
    CHECK(!mapper.doc.empty());
    for (const config::MachineSpec& spec : machines()) {
      const std::vector<PeCoord> pes = mapper.participants(spec);
      CHECK(!pes.empty());
      CHECK(std::ranges::adjacent_find(pes, std::greater_equal{}) == pes.end());
    }
  }
}
