// Options as the words of a command line give them.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/options.hpp"

namespace kbsim {
namespace {

const Option& option_named(const OptionSet& options, const std::string& word) {
  const auto found = std::ranges::find_if(options.options, [&](const Option& option) {
    return word == "--" + option.long_name() || (!option.brief.empty() && word == "-" + option.brief);
  });
  if (found != options.options.end()) return *found;
  if (!word.starts_with('-')) throw UsageError{fmt::format("unexpected argument '{}'", word)};
  std::vector<std::string> names;
  for (const Option& option : options.options) names.push_back("--" + option.long_name());
  throw UsageError{fmt::format("unknown option '{}'{}", word, name_hint(word, names))};
}

}  // namespace

OptionValues parse_options(const OptionSet& options, const std::vector<std::string>& words) {
  std::map<std::string, std::string> given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    const std::string& name = option_named(options, words[i].substr(0, equals)).long_name();
    if (equals == std::string::npos && i + 1 == words.size())
      throw UsageError{fmt::format("--{} has no value", name)};
    const std::string text = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    if (!given.emplace(name, text).second) throw UsageError{fmt::format("--{} is given twice", name)};
  }
  return {options, given};
}

}  // namespace kbsim
