#include "kbsim/llm/product_mapping.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

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
  const std::vector<std::string> names = mapping == kAutoMapping ? mappings().names() : std::vector{mapping};
  for (const std::string& name : names) {
    MappedProduct mapped = mappings().at(name).make()->map(product, site, room);
    mapped.mapping = name;
    if (mapped.adds_up == product.adds_up) result.candidates.push_back(std::move(mapped));
  }
  if (result.candidates.empty())
    throw UsageError{
        fmt::format("--mapping: overlap {0}: mapping {1} has no kernel that adds up over packages",
                    product.name, mapping)};
  result.chosen = *std::ranges::min_element(result.candidates, {}, &MappedProduct::estimate);
  return result;
}

}  // namespace kbsim::inference
