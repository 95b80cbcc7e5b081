#include "parse_options.hpp"

#include <algorithm>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/names.hpp"
#include "kbsim/base/role.hpp"

#include "help.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

// True for an empty text, or for texts with an empty one.
bool holds_nothing(const boost::any& value) {
  if (const auto* text = boost::any_cast<std::string>(&value)) return text->empty();
  const auto* texts = boost::any_cast<std::vector<std::string>>(&value);
  return texts != nullptr && std::ranges::find(*texts, "") != texts->end();
}

void require_values(const po::variables_map& values, const po::options_description& options,
                    const Synopsis& synopsis) {
  for (const auto& [name, value] : values) {
    if (value.defaulted() || !holds_nothing(value.value())) continue;
    if (name == synopsis.positional)
      throw UsageError{fmt::format("{} is given nothing; usage: {}",
                                   options.find(name, false).semantic()->name(), synopsis.usage)};
    throw UsageError{"--" + name + " is given nothing; leave it out, or give it a value"};
  }
}

// ", did you mean ...?", or where to look.
std::string option_hint(const std::string& word, const po::options_description& options,
                        const Synopsis& synopsis) {
  const std::string name = word.substr(0, word.find('='));
  const std::string known = name.starts_with("--") ? name : name.substr(0, 2);  // "-g" of "-g8"
  if (const auto replaced = synopsis.foreign.find(known); replaced != synopsis.foreign.end())
    return ": " + replaced->second;
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back("--" + option->long_name());
  const bool near = !nearest_name(name, names).empty() ||
                    std::ranges::any_of(names, [&](const auto& known) { return known.starts_with(name); });
  if (near) return name_hint(name, names);
  if (name.find('.') != std::string::npos && options.find_nothrow("set", false) != nullptr)
    return fmt::format(", did you mean '--set {}{}'?", word.substr(word.find_first_not_of('-')),
                       name == word ? "=VALUE" : "");  // a key of the machine
  return synopsis.elsewhere.empty() ? "; see --help" : synopsis.elsewhere;
}

std::string unknown_option(const po::option& given, const po::options_description& options,
                           const Synopsis& synopsis) {
  const std::string& word = given.original_tokens.front();
  return fmt::format("unknown option '{}'{}", word.substr(0, word.find('=')),
                     option_hint(word, options, synopsis));
}

// The option that a bare argument may be meant for.
std::string argument_hint(const std::string& word, const po::options_description& options,
                          const Synopsis& synopsis) {
  const auto takes = [&](const std::string& name) {
    return !name.empty() && options.find_nothrow(name, false) != nullptr;  // "" would match several
  };
  if (word.empty()) return "; leave it out";
  if (!synopsis.too_many.empty()) return synopsis.too_many;
  if (std::ranges::find(synopsis.first, word) != synopsis.first.end())
    return fmt::format("; a command comes first: kbsim {} ...", word);
  if (takes(word)) return fmt::format(", did you mean '--{}'?", word);
  if (const std::size_t equals = word.find('='); equals != std::string::npos) {
    const std::string name = word.substr(0, equals);
    if (takes(name)) return fmt::format(", did you mean '--{}'?", word);
    if (name.find('.') != std::string::npos && takes("set"))
      return fmt::format(", did you mean '--set {}'?", word);
  }
  if (!synopsis.positional.empty() && !synopsis.several) return "; usage: " + synopsis.usage;
  if (word.ends_with(".yaml") && takes("topology"))
    return fmt::format(", did you mean '--topology {}'?", word);
  if (!synopsis.likely.empty()) return fmt::format(", did you mean '--{} {}'?", synopsis.likely, word);
  return "; see --help";
}

// A word after an unknown option may be its value. Surplus arguments are reported only if all options are
// known.
void require_known_options(const po::parsed_options& parsed, const po::options_description& options,
                           const Synopsis& synopsis) {
  std::vector<std::string> unknown;
  std::vector<std::string> too_many;
  for (const po::option& given : parsed.options) {
    if (given.unregistered) unknown.push_back(unknown_option(given, options, synopsis));
    if (given.position_key >= 0 && given.string_key.empty())
      too_many.push_back(fmt::format("unexpected argument '{}'{}", given.value.front(),
                                     argument_hint(given.value.front(), options, synopsis)));
  }
  const std::vector<std::string>& mistakes = unknown.empty() ? too_many : unknown;
  if (!mistakes.empty()) throw UsageError{fmt::format("{}", fmt::join(mistakes, "\nkbsim: "))};
}

// The first bare argument is the positional option's, or all are.
void name_positional(po::parsed_options& parsed, const Synopsis& synopsis) {
  if (synopsis.positional.empty()) return;
  for (po::option& given : parsed.options) {
    if (given.position_key == 0 || (synopsis.several && given.position_key > 0))
      given.string_key = synopsis.positional;
  }
}

bool knows(const po::options_description& options, const std::string& name) {
  return options.find_nothrow(name, false) != nullptr;
}

// "--micro_batches=2" as the option is called: in names of options, '-' and '_' are the same.
std::string with_known_name(const std::string& word, const po::options_description& options) {
  const std::string given = word.substr(0, word.find('='));
  if (!given.starts_with("--") || given.size() == 2 || knows(options, given.substr(2))) return word;
  for (const auto& [from, to] : {std::pair{'_', '-'}, std::pair{'-', '_'}}) {
    std::string name = given.substr(2);
    std::ranges::replace(name, from, to);
    if (knows(options, name)) return "--" + name + word.substr(given.size());
  }
  return word;
}

// Whether a word is the name of an option that may have a value.
bool is_switch(const std::string& word, const po::options_description& options) {
  if (!word.starts_with("--") || word.size() == 2) return false;
  const po::option_description* option = options.find_nothrow(word.substr(2), false);
  return option != nullptr && option->semantic()->min_tokens() == 0 && option->semantic()->max_tokens() == 1;
}

// Switches with their values as one word; one without a value is on.
Arguments with_switch_values(const Arguments& arguments, const po::options_description& options) {
  Arguments words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    words.push_back(with_known_name(arguments[i], options));
    if (!is_switch(words.back(), options)) continue;
    const bool has_value = i + 1 < arguments.size() && !arguments[i + 1].starts_with('-');
    words.back() += "=" + (has_value ? arguments[++i] : std::string{"1"});
  }
  return words;
}

po::parsed_options parsed_options(const Arguments& arguments, const po::options_description& options,
                                  const Synopsis& synopsis) {
  po::parsed_options parsed =
      po::command_line_parser(arguments)
          .options(options)
          .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
          .allow_unregistered()
          .run();
  name_positional(parsed, synopsis);
  return parsed;
}

// A missing positional option is named by its value, without the option's name.
std::string missing(const po::required_option& error, const po::options_description& options,
                    const Synopsis& synopsis) {
  if (synopsis.positional.empty() || error.get_option_name() != "--" + synopsis.positional)
    return std::string{error.what()} + "; see --help";
  return fmt::format("{} is missing; usage: {}", options.find(synopsis.positional, false).semantic()->name(),
                     synopsis.usage);
}

// A number with its unit, taken from the name of the option's value; a share, if a percentage was given.
std::string number_as(const std::string& given, const std::string& value_name) {
  if (given.ends_with('%')) return "a number, as 0.05 for 5 %";
  if (value_name == "NS") return "a number of ns, without a unit";
  if (value_name == "SECONDS") return "a number of seconds, without a unit";
  return "a number";
}

// The value that an option takes, as far as its type says: a number, if it accepts "1". Whole numbers say so
// themselves.
std::string wrong_value(const po::validation_error& error, const Arguments& arguments,
                        const po::options_description& options) {
  const std::string unknown = fmt::format("{}; see --help", error.what());
  const std::string typed = error.get_option_name();  // with its dashes
  const std::string name = typed.substr(std::min(typed.find_first_not_of('-'), typed.size()));
  const po::option_description* const option = options.find_nothrow(name, false);
  if (option == nullptr) return unknown;
  boost::any one;
  try {
    option->semantic()->parse(one, {"1"}, true);
  } catch (const po::error&) {
    return unknown;
  }
  if (one.type() != typeid(double)) return unknown;
  const std::string given = option_given(arguments, name).value_or("");
  return fmt::format("--{} must be {}, got '{}'", name, number_as(given, option->semantic()->name()), given);
}

}  // namespace

std::optional<std::string> option_given(const Arguments& arguments, const std::string& name) {
  po::options_description option;
  option.add_options()(name.c_str(), po::value<std::string>());
  try {
    for (const po::option& given : parsed_options(arguments, option, {}).options) {
      if (given.string_key == name && !given.unregistered) return given.value.front();
    }
  } catch (const po::error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

void choose_colors(const Arguments& arguments) {
  use_colors(color_mode_of(option_given(arguments, "color").value_or("auto")));
  if (std::ranges::find(arguments, "--json") != arguments.end()) use_no_colors_on_stdout();
}

void describe_color(po::options_description& to) {
  to.add_options()(
      "color",
      po::value<std::string>()->value_name("auto|always|never")->notifier([](const std::string& mode) {
        (void)color_mode_of(mode);
      }),
      "colour the text: auto (default) on a terminal, unless NO_COLOR is set or TERM is dumb; always; never");
}

void parse_options(const Arguments& arguments, po::options_description& options, const Synopsis& synopsis,
                   po::variables_map* parsed) {
  if (!knows(options, "color")) describe_color(options);
  options.add_options()("help,h", "this text");
  po::variables_map local;
  po::variables_map& values = parsed != nullptr ? *parsed : local;
  try {
    const Arguments words = with_switch_values(arguments, options);
    const po::parsed_options given = parsed_options(words, options, synopsis);
    require_known_options(given, options, synopsis);
    po::store(given, values);
    if (values.count("help") > 0)
      throw Help{.usage = synopsis.usage,
                 .options = options,
                 .groups = synopsis.groups,
                 .more = synopsis.examples,
                 .positional = synopsis.positional,
                 .takes_run = synopsis.takes_run};
    require_values(values, options, synopsis);
    po::notify(values);
  } catch (const po::required_option& error) {
    throw UsageError{missing(error, options, synopsis)};
  } catch (const po::validation_error& error) {
    throw UsageError{wrong_value(error, arguments, options)};
  } catch (const po::error& error) {
    throw UsageError{std::string{error.what()} + "; see --help"};
  }
}

}  // namespace kbsim::app
