#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/bytes.hpp"
#include "kbsim/base/dtype.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/kernels/llm/product.hpp"
#include "kbsim/llm/package_site.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::inference {

/// A product of a model: rows [rows, k] by a matrix [k, n], or by two of them if it is gated.
struct Product {
  std::string_view name;           // "gate/up"
  std::vector<std::int64_t> rows;  // of each phase of the run
  std::int64_t k = 1;
  std::int64_t n = 1;
  bool gated = false;
  bool residual = false;  // the kernel adds one
  DType dtype = f16;
  bool adds_up = false;  // asks for a kernel that adds up the parts of all packages that divide the layer

  [[nodiscard]] std::int64_t matrices() const { return gated ? 2 : 1; }
};

/// How a phase computes a product.
struct ProductStep {
  int chunks = 1;  // of each PE's rows
  bool keeps_weights = false;
  std::int64_t scratch = 0;  // elements per PE
  Bytes tiles{};             // that the kernel holds at once, estimated
  Time estimate{};           // by closed form
};

/// How all phases of a run compute a product: the placement of its matrices is common to them.
struct MappedProduct {
  std::string mapping;
  std::string kernel;
  topology::DPPolicy weight;
  topology::DPPolicy bias;
  bool adds_up = false;            // the kernel does: ProductArgs::over
  std::vector<ProductStep> steps;  // by phase

  [[nodiscard]] Time estimate() const;
};

/// Which PEs compute which part of a product, where its matrices lie, and how operands travel. `room` is the
/// TCM of a PE that scratch and tiles may take.
class IMapping {
 public:
  virtual ~IMapping() = default;
  [[nodiscard]] virtual MappedProduct map(const Product& product, const PackageSite& site,
                                          Bytes room) const = 0;
};

struct Mapping {
  std::string doc;
  std::function<std::unique_ptr<IMapping>()> make;
  [[nodiscard]] bool has_function() const { return make != nullptr; }
};
[[nodiscard]] Registry<Mapping>& mappings();

/// Always true. `abi` is KBSIM_ABI as the mapping's file saw it.
bool register_mapping(std::string name, Mapping mapping, const char& abi) noexcept;

/// Makes a class that implements IMapping known by a name, in its own file.
#define KBSIM_MAPPING(name, Class, text)                                                                     \
  static const bool kRegistered_##name = ::kbsim::inference::register_mapping(                               \
      #name,                                                                                                 \
      {.doc = text,                                                                                          \
       .make = []() -> std::unique_ptr<::kbsim::inference::IMapping> { return std::make_unique<Class>(); }}, \
      KBSIM_ABI)

/// The name of the choice of the mapping with the lowest estimate, for each product by itself.
inline constexpr std::string_view kAutoMapping = "auto";

/// A product by a mapping's name, and all estimates it was chosen from: those of all mappings for "auto".
struct ChosenProduct {
  MappedProduct chosen;
  std::vector<MappedProduct> candidates;
};
[[nodiscard]] ChosenProduct map_product(const std::string& mapping, const Product& product,
                                        const PackageSite& site, Bytes room);

}  // namespace kbsim::inference
