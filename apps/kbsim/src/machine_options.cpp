#include "machine_options.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include <fmt/format.h>

#include "kbsim/base/names.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

#include "config_folders.hpp"
#include "plugins.hpp"

namespace kbsim::app {

namespace po = boost::program_options;

namespace {

// A text, or one of several.
bool holds_nothing(const boost::any& value) {
  if (const auto* text = boost::any_cast<std::string>(&value)) return text->empty();
  const auto* texts = boost::any_cast<std::vector<std::string>>(&value);
  return texts != nullptr && std::ranges::find(*texts, "") != texts->end();
}

void require_values(const po::variables_map& values) {
  for (const auto& [name, value] : values) {
    if (!value.defaulted() && holds_nothing(value.value()))
      throw UsageError{"--" + name + " is given nothing; leave it out, or give it a value"};
  }
}

po::positional_options_description positional(const Synopsis& synopsis) {
  po::positional_options_description all;
  if (!synopsis.positional.empty()) all.add(synopsis.positional.c_str(), 1);
  return all;
}

}  // namespace

bool is_given(const Arguments& arguments, const std::string& option) {
  return std::ranges::any_of(
      arguments, [&](const std::string& word) { return word == option || word.starts_with(option + "="); });
}

Arguments with_topology(Arguments arguments) {
  if (!is_given(arguments, "--topology")) arguments.insert(arguments.begin(), {"--topology", kUsualTopology});
  return arguments;
}

std::string unnamed_topology(const Arguments& arguments) {
  return is_given(arguments, "--topology") ? "" : fmt::format(", on {}", kUsualTopology);
}

void MachineOptions::describe(po::options_description& to) {
  auto add = to.add_options();
  add("topology", po::value(&topology)->value_name("FILE")->default_value(kUsualTopology),
      "the machine; looked for in the current folder, then among the installed configs");
  add("ccl", po::value(&ccl)->value_name("FILE"),
      "collective algorithms (default: those in the topology file's section ccl, or ccl.yaml, found "
      "likewise)");
  add("set", po::value(&set)->value_name("KEY=VALUE")->composing(),
      "override one key of the topology file, e.g. system.sips.count=4, or of the ccl file, "
      "e.g. ccl.algorithms.intercube_allreduce.n_elem=1000; repeatable");
  describe_plugins(to);
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "{}\n", note);
}

config::Configuration MachineOptions::load() const {
  const config::LoadRequest request{
      .file = topology, .overrides = set, .catalog = hw::ModelCatalog{}, .folders = config_folders()};
  config::Configuration result = config::load(request, ccl);
  print_notes(result.notes);
  return result;
}

bool parse_options(const Arguments& arguments, po::options_description& options, const Synopsis& synopsis,
                   po::variables_map* parsed) {
  options.add_options()("help", "this text");
  po::variables_map local;
  po::variables_map& values = parsed != nullptr ? *parsed : local;
  try {
    po::store(po::command_line_parser(arguments)
                  .options(options)
                  .positional(positional(synopsis))
                  .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
                  .run(),
              values);
    if (values.count("help") == 0) {
      require_values(values);
      po::notify(values);
    }
  } catch (const po::unknown_option& unknown) {
    std::vector<std::string> names;
    for (const auto& option : options.options()) names.push_back("--" + option->long_name());
    const std::string name = unknown.get_option_name();
    throw UsageError{"unknown option '" + name + "'" + name_hint(name, names) + "; see --help"};
  } catch (const po::error& error) {
    throw UsageError{std::string{error.what()} + "; see --help"};
  }
  if (values.count("help") == 0) return true;
  std::cout << "usage: " << synopsis.usage << "\n\n" << options << synopsis.examples;
  return false;
}

}  // namespace kbsim::app
