#pragma once

#include <map>

#include "kbsim/config/catalog.hpp"

// Models with the attributes of the builtin ones, so that config is tested without the hardware room.
class FakeCatalog : public kbsim::config::ComponentCatalog {
 public:
  FakeCatalog();
  [[nodiscard]] const std::vector<kbsim::Field>* fields(std::string_view impl) const override;
  [[nodiscard]] std::vector<std::string> impls() const override;
  [[nodiscard]] bool has_kind(std::string_view impl) const override;
  [[nodiscard]] bool interchangeable(std::string_view impl, std::string_view /*other*/) const override {
    return impl.empty();  // any may be a part
  }

 private:
  std::map<std::string, const std::vector<kbsim::Field>*, std::less<>> models_;
};

inline const FakeCatalog kModels;
