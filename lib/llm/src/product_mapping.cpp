#include "kbsim/llm/product_mapping.hpp"

#include <algorithm>
#include <utility>

namespace kbsim::inference {

Time MappedProduct::estimate() const {
  Time sum{};
  for (const ProductStep& step : steps) sum += step.estimate;
  return sum;
}

Registry<Mapping>& mappings() {
  static Registry<Mapping> all{"mapping"};
  return all;
}

bool register_mapping(std::string name, Mapping mapping, const char& /*abi*/) noexcept {
  (void)mappings().offer(std::move(name), std::move(mapping));
  return true;
}

ChosenProduct map_product(const std::string& mapping, const Product& product, const PackageSite& site,
                          Bytes room) {
  ChosenProduct result;
  if (mapping != kAutoMapping) {
    result.candidates.push_back(mappings().at(mapping).make()->map(product, site, room));
    result.candidates.front().mapping = mapping;
  } else {
    for (const auto& [name, entry] : mappings().entries()) {
      result.candidates.push_back(entry.make()->map(product, site, room));
      result.candidates.back().mapping = name;
    }
  }
  result.chosen = *std::ranges::min_element(result.candidates, {}, &MappedProduct::estimate);
  return result;
}

}  // namespace kbsim::inference
