#include "option_words.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/config/load.hpp"
#include "kbsim/host/probe.hpp"

#include "config_folders.hpp"
#include "run_words.hpp"

namespace kbsim::app {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::vector<Page>& pages) {
  Names names;
  for (const Page& page : pages) names.push_back(page.name);
  return names;
}

Names algorithm_names() {
  Names names;
  for (const auto& [name, algorithm] : config::load_ccl("ccl.yaml", {}, config_folders()).algorithms)
    names.push_back(name);
  return names;
}

Names case_names() {
  Names names;
  for (const host::ProbeCase& known : host::probe_cases()) names.emplace_back(known.name);
  return names;
}

Names names_for_help() {
  Names names;
  for (const Command& command : commands()) names.push_back(command.name);
  std::ranges::copy(names_of(bench_pages()), std::back_inserter(names));
  return names;
}

// The choices in `a|b`. Placeholders (N, sip:N) aren't offered.
Names alternatives(const std::string& value) {
  Names words;
  for (const auto part : std::views::split(value, '|')) {
    const std::string word{part.begin(), part.end()};
    if (std::ranges::none_of(word, [](unsigned char c) { return std::isupper(c) != 0; }))
      words.push_back(word);
  }
  return words;
}

}  // namespace

std::vector<Page> completed_pages() {
  std::vector<Page> pages = command_pages();
  const auto run = std::ranges::find(pages, "run", &Page::name)->help.options;
  const std::vector<std::string> refused = outputs_of_one_run();
  for (Page& page : pages) {
    if (!page.help.takes_run) continue;
    for (const auto& option : run.options()) {
      const std::string& name = option->long_name();
      const bool known = page.help.options.find_nothrow(name, false) != nullptr;
      if (!known && std::ranges::find(refused, "--" + name) == refused.end()) page.help.options.add(option);
    }
  }
  return pages;
}

std::string names_of_runners() {
  Names names;
  for (const Page& page : command_pages()) {
    if (page.help.takes_run) names.push_back(page.name);
  }
  return fmt::format("{}", fmt::join(names, "|"));
}

std::vector<OptionWords> options_of(const Help& help) {
  std::vector<OptionWords> all;
  for (const auto& option : help.options.options()) {
    const bool takes = option->semantic()->max_tokens() > 0;
    const std::string value = takes ? option->semantic()->name() : "";
    const std::string brief =
        option->canonical_display_name(boost::program_options::command_line_style::allow_dash_for_short);
    all.push_back({.name = "--" + option->long_name(),
                   .brief = brief.starts_with("--") || !brief.starts_with('-') ? "" : brief,
                   .value = value.substr(0, value.find(' ')),
                   .doc = option->description()});
  }
  return all;
}

Offer offer_of(const OptionWords& option) {
  static const std::map<std::string, Names (*)()> lists{{"--bench", [] { return names_of(bench_pages()); }},
                                                        {"--algorithm", algorithm_names},
                                                        {"--case", case_names},
                                                        {"--command", names_for_help}};
  const auto list = lists.find(option.name);
  if (list != lists.end()) return {.kind = Offer::Kind::words, .words = list->second()};
  if (option.value == "FILE") return {.kind = Offer::Kind::files};
  if (option.value == "DIR") return {.kind = Offer::Kind::folders};
  if (option.value.find('|') == std::string::npos) return {};
  return {.kind = Offer::Kind::words, .words = alternatives(option.value)};
}

}  // namespace kbsim::app
