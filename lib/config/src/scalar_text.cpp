#include "scalar_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/bytes.hpp"

namespace kbsim::config {
namespace {

struct ScalarWriter {
  const Field& field;

  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const {
    return field.type == FieldType::bytes ? to_string(Bytes{value}) : fmt::format("{}", value);
  }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const std::vector<std::string>& value) const {
    return fmt::format("[{}]", fmt::join(value, ", "));
  }
};

}  // namespace

std::string to_text(const Scalar& value, const Field& field) {
  return std::visit(ScalarWriter{field}, value);
}

}  // namespace kbsim::config
