#include "kbsim/ccl/mapper.hpp"

#include <utility>

namespace kbsim::ccl {

Registry<Mapper>& mappers() {
  static Registry<Mapper> registry{"mapper"};
  return registry;
}

bool register_mapper(std::string name, Mapper mapper, const char& /*abi*/) noexcept {
  (void)mappers().offer(std::move(name), std::move(mapper));
  return true;
}

std::vector<PeCoord> first_pes(const config::MachineSpec& machine, int cubes, int pes) {
  std::vector<PeCoord> all;
  for (int sip = 0; sip < machine.system.sips.count; ++sip) {
    for (int cube = 0; cube < cubes; ++cube) {
      for (int pe = 0; pe < pes; ++pe) all.push_back({sip, cube, pe});
    }
  }
  return all;
}

}  // namespace kbsim::ccl
