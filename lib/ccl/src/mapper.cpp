#include "kbsim/ccl/mapper.hpp"

#include <tuple>
#include <utility>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/transform.hpp>

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
  using namespace ranges;
  return views::cartesian_product(views::indices(machine.system.sips.count), views::indices(cubes),
                                  views::indices(pes)) |
         views::transform([](const auto& at) { return std::make_from_tuple<PeCoord>(at); }) | to<std::vector>;
}

}  // namespace kbsim::ccl
