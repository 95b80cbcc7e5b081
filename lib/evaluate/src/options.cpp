#include "kbsim/evaluate/options.hpp"

#include <utility>

#include "kbsim/base/error.hpp"

namespace kbsim::evaluate {

void Options::set(std::string name, OptionValue value, bool given) {
  entries_.insert_or_assign(std::move(name), Entry{.value = std::move(value), .given = given});
}

const Options::Entry& Options::entry(std::string_view name) const {
  const auto found = entries_.find(name);
  ensure(found != entries_.end(), [&] { return "no option --" + std::string{name}; });
  return found->second;
}

const OptionValue& Options::value(std::string_view name) const { return entry(name).value; }

std::string Options::text(std::string_view name) const {
  const std::string* text = std::get_if<std::string>(&value(name));
  return text == nullptr ? "" : *text;
}

std::int64_t Options::number(std::string_view name) const {
  const std::int64_t* number = std::get_if<std::int64_t>(&value(name));
  ensure(number != nullptr, [&] { return "--" + std::string{name} + " is no number"; });
  return *number;
}

bool Options::given(std::string_view name) const { return entry(name).given; }

}  // namespace kbsim::evaluate
