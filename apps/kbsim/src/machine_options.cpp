#include "machine_options.hpp"

#include <iostream>

#include "kbsim/base/names.hpp"
#include "kbsim/config/load.hpp"

#include "catalog.hpp"
#include "config_folders.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

// The overrides that begin with "ccl." are the ccl file's.
std::pair<config::Overrides, config::Overrides> split(const std::vector<std::string>& set) {
  constexpr std::string_view kPrefix = "ccl.";
  std::pair<config::Overrides, config::Overrides> result;
  for (const std::string& entry : set) {
    if (entry.starts_with(kPrefix)) {
      result.second.push_back(entry.substr(kPrefix.size()));
    } else {
      result.first.push_back(entry);
    }
  }
  return result;
}

}  // namespace

void require_values(const po::variables_map& values) {
  for (const auto& [name, value] : values) {
    const auto* text = boost::any_cast<std::string>(&value.value());
    if (text != nullptr && text->empty() && !value.defaulted())
      throw UsageError{"--" + name + " is given nothing; leave it out, or give it a value"};
  }
}

void MachineOptions::describe(po::options_description& to) {
  auto add = to.add_options();
  add("topology", po::value(&topology)->value_name("FILE")->required(),
      "the machine; looked for in the current folder, then among the installed configs");
  add("ccl", po::value(&ccl)->value_name("FILE"),
      "collective algorithms (default: ccl.yaml, found likewise)");
  add("set", po::value(&set)->value_name("KEY=VALUE")->composing(),
      "override one key of the topology file, e.g. system.sips.count=4, or of the ccl file, "
      "e.g. ccl.algorithms.intercube_allreduce.n_elem=1000; repeatable");
}

std::pair<config::MachineSpec, config::CclSpec> MachineOptions::load() const {
  const auto [machine_set, ccl_set] = split(set);
  const config::Folders folders = config_folders();
  std::vector<ConfigProblem> problems;
  std::pair<config::MachineSpec, config::CclSpec> result;
  const auto collect = [&](const auto& read, const std::string& prefix) {
    try {
      read();
    } catch (const ConfigError& error) {
      for (ConfigProblem problem : error.problems()) {
        constexpr std::string_view kSet = "--set ";
        if (problem.at.file.starts_with(kSet)) problem.at.file.insert(kSet.size(), prefix);
        problems.push_back(std::move(problem));
      }
    }
  };
  collect(
      [&] {
        result.first = config::load_machine(
            {.file = topology, .overrides = machine_set, .catalog = ModelCatalog{}, .folders = folders});
      },
      "");
  collect([&] { result.second = config::load_ccl(ccl, ccl_set, folders); }, "ccl.");
  if (!problems.empty()) throw ConfigError{std::move(problems)};
  return result;
}

bool parse_options(const Arguments& arguments, po::options_description& options, const std::string& usage,
                   const std::string& examples, po::variables_map* parsed) {
  options.add_options()("help", "this text");
  po::variables_map local;
  po::variables_map& values = parsed != nullptr ? *parsed : local;
  try {
    po::store(po::command_line_parser(arguments)
                  .options(options)
                  .positional({})
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
  std::cout << "usage: " << usage << "\n\n" << options << examples;
  return false;
}

}  // namespace kbsim::app
