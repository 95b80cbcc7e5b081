#include "whole_option.hpp"

#include <charconv>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

class WholeValue final : public po::typed_value<std::int64_t> {
 public:
  WholeValue(const char* option, WholeRange range) : typed_value{nullptr}, option_{option}, range_{range} {}

  void xparse(boost::any& store, const std::vector<std::string>& tokens) const override {
    po::validators::check_first_occurrence(store);
    const std::string& text = po::validators::get_single_string(tokens);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
      throw UsageError{fmt::format("--{} must be a whole number, {} to {}, got '{}'", option_, range_.least,
                                   range_.most, text)};
    store = number;
  }

 private:
  std::string option_;
  WholeRange range_;
};

}  // namespace

po::typed_value<std::int64_t>* whole_value(const char* option, const char* value_name, WholeRange range,
                                           const std::function<void(std::int64_t)>& set) {
  auto* const value = new WholeValue{option, range};  // the description of the options owns it
  return value->value_name(value_name)->notifier([=](std::int64_t number) {
    if (number < range.least || number > range.most)
      throw UsageError{fmt::format("--{} must be {} to {}, got {}", option, range.least, range.most, number)};
    set(number);
  });
}

}  // namespace kbsim::app
