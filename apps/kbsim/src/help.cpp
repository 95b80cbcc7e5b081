// kbsim help and kbsim version, and what --help shows.
#include "help.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/model_version.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/report/terminal.hpp"
#include "kbsim/tl/kernel.hpp"

#include "bench_options.hpp"
#include "evaluation_options.hpp"
#include "namesakes.hpp"
#include "parse_options.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

std::size_t columns() {
  constexpr std::size_t kLeast = 40;
  constexpr std::size_t kMost = 120;
  return std::clamp(report::terminal_width(STDOUT_FILENO).value_or(kColumns), kLeast, kMost);
}

Help bench_help(const std::string& name, const std::string& doc, po::options_description own) {
  const bool some = !own.options().empty();
  return {.name = "--bench " + name,
          .usage = fmt::format("kbsim [run] --bench {} [options]", name),
          .doc = doc,
          .options = std::move(own),
          .more = fmt::format("\n{} those of every run: kbsim run --help\n",
                              some ? "and" : "no options of its own;")};
}

std::vector<std::string> bench_names() {
  std::vector<std::string> names = benches().names();
  for (const std::string& name : evaluate::evaluations().names()) names.push_back(name);
  return names;
}

}  // namespace

const std::vector<ExitMeaning>& exit_meanings() {
  static const std::vector<ExitMeaning> all{{0, "done and right"},
                                            {1, "internal error"},
                                            {2, "usage or configuration"},
                                            {4, "limit reached"},
                                            {5, "not supported"},
                                            {7, "wrong values"},
                                            {8, "deadlock or a fault in a kernel"},
                                            {129, "hung up"},
                                            {130, "interrupted"},
                                            {143, "terminated"}};
  return all;
}

Help help_of(const Command& command) {
  try {
    (void)command.run({"--help"});
  } catch (Help& help) {
    help.name = "kbsim " + command.name;
    return help;
  }
  throw InternalError{fmt::format("kbsim {} has no --help", command.name)};
}

bool is_bench(const std::string& name) {
  const std::vector<std::string> known = bench_names();
  return std::ranges::find(known, name) != known.end();
}

void refuse_bench(const std::string& name) {
  const auto require_function = [&](const auto& registry) {
    if (std::ranges::find(registry.without_function(), name) != registry.without_function().end())
      (void)registry.at(name);
  };
  require_function(benches());
  require_function(evaluate::evaluations());
  if (kernels().find(name) != nullptr)
    throw UsageError{
        fmt::format("'{}' is a kernel, which a bench launches: --bench ccl --algorithm NAME that "
                    "of a collective, a bench of your own (examples/my_kernel) any other",
                    name)};
  throw UsageError{fmt::format("unknown bench '{}'{} (a bench of your own needs --plugin FILE)", name,
                               name_hint(name, bench_names()))};
}

Help help_of_bench(const std::string& name) {
  if (const evaluate::Evaluation* evaluation = evaluate::evaluations().find(name))
    return bench_help(name, evaluation->doc, options_of(*evaluation));
  if (const Bench* bench = benches().find(name))
    return bench_help(name, bench->doc, to_description(bench->run.options()));
  refuse_bench(name);
}

std::vector<Page> command_pages() {
  std::vector<Page> pages;
  for (const Command& command : commands())
    pages.push_back({.name = command.name, .doc = command.doc, .help = help_of(command)});
  return pages;
}

std::vector<Page> bench_pages() {
  std::vector<Page> pages;
  for (const std::string& name : bench_names()) {
    Help help = help_of_bench(name);
    pages.push_back({.name = name, .doc = help.doc, .help = std::move(help)});
  }
  return pages;
}

namespace {

// The column where the texts of all options begin, and the widest line.
struct Layout {
  std::size_t text;
  std::size_t columns;
};

// "  -b [ --minbytes ] BYTES (=1K)   smallest size", wrapped. An option too long for its column has a line of
// its own.
std::string option_text(const po::option_description& option, const Layout& layout) {
  const std::string name = fmt::format("  {} {}", option.format_name(), option.format_parameter());
  const std::string margin(layout.text, ' ');
  const bool fits = name.size() + 1 < layout.text;
  const std::string begin = fits ? fmt::format("{:<{}}", name, layout.text) : margin;
  const std::string text = wrapped(begin + option.description(), layout.text, layout.columns) + "\n";
  return fits ? text : name.substr(0, name.find_last_not_of(' ') + 1) + "\n" + text;
}

std::string options_text(const Help& help) {
  if (help.options.options().empty()) return "";
  const Layout layout{.text = columns() * 7 / 20, .columns = columns()};
  std::string text = "\n" + in_role(Role::head, fmt::format("options of {}:", help.name)) + "\n";
  for (const auto& option : help.options.options()) {
    const auto group = std::ranges::find(help.groups, option->long_name(), &OptionGroup::first);
    if (group != help.groups.end()) text += "\n" + in_role(Role::head, group->title + ":") + "\n";
    text += option_text(*option, layout);
  }
  return text;
}

}  // namespace

std::string to_text(const Help& help) {
  std::string text = wrapped("usage: " + help.usage, 11) + "\n";
  if (!help.doc.empty()) text += "\n" + wrapped(help.doc, 0) + "\n";
  return text + options_text(help) + help.more + namesakes_of(help.name);
}

std::string overview() {
  std::string text =
      "kbsim: how long would it take on a machine that doesn't exist yet, and is the\nresult right?\n\n"
      "usage: kbsim [run] --bench NAME [--topology FILE] [options]\n"
      "       kbsim COMMAND [options]      (kbsim help COMMAND shows its options)\n\ncommands:\n";
  for (const Command& command : commands())
    text += wrapped(fmt::format("  {:<11} {}\n", command.name, command.doc), 14);
  text +=
      "\ntry:\n  kbsim list\n  kbsim --bench ccl_allreduce\n  kbsim --bench ccl --help\n\n"
      "the machine is topology.yaml, of this folder or as installed, unless --topology\nnames another\n\n";
  std::string exits = "exit codes: ";
  for (const ExitMeaning& exit : exit_meanings())
    exits += fmt::format("{}{} {}", exit.code == 0 ? "" : ", ", exit.code, exit.means);
  return text + wrapped(exits, 2) + "\n";
}

void require_no_part(const std::string& name) {
  const auto found =
      std::ranges::find_if(registries(), [&](const AnyRegistry* registry) { return registry->has(name); });
  if (found == registries().end()) return;
  throw UsageError{
      fmt::format("unknown command or bench '{}', which is known as: {}; kbsim list has what there is", name,
                  (*found)->kind())};
}

namespace {

// Help of a command or a bench.
Help help_named(const std::string& name) {
  if (is_bench(name)) return help_of_bench(name);
  std::vector<std::string> known;
  for (const Command& command : commands()) known.push_back(command.name);
  if (std::ranges::find(known, name) == known.end()) {
    require_no_part(name);
    std::ranges::copy(bench_names(), std::back_inserter(known));
    const std::string section = section_hint(name);
    throw UsageError{fmt::format("unknown command or bench '{}'{}", name,
                                 section.empty() ? name_hint(name, known) : section)};
  }
  return help_of(command_named(name));
}

}  // namespace

ExitCode show_help(const Arguments& arguments) {
  std::string command;
  bool man = false;
  po::options_description all;
  all.add_options()("command", po::value(&command)->value_name("COMMAND"), "a command or a bench");
  all.add_options()("man", po::bool_switch(&man), "the manual page of all, for man(1)");
  parse_options(arguments, all,
                {.usage = "kbsim help [COMMAND]",
                 .examples = "\nexamples:\n  kbsim help probe\n  kbsim help ccl\n",
                 .positional = "command"});
  if (man) {
    std::cout << man_page();
  } else if (command.empty()) {
    std::cout << overview();
  } else {
    std::cout << to_text(help_named(command));
  }
  return ExitCode::ok;
}

ExitCode show_version(const Arguments& arguments) {
  po::options_description none;
  parse_options(arguments, none, {.usage = "kbsim version", .examples = ""});
  fmt::print("kbsim {}, model version {}\n", KBSIM_VERSION, kModelVersion);
  return ExitCode::ok;
}

}  // namespace kbsim::app
