#include "completion_bash.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "option_words.hpp"

namespace kbsim::app {
namespace {

std::string action_in_bash(const Offer& offer) {
  switch (offer.kind) {
    case Offer::Kind::files: return "_kbsim_files -f";
    case Offer::Kind::folders: return "_kbsim_files -d";
    case Offer::Kind::words: return fmt::format("words=\"{}\"", fmt::join(offer.words, " "));
    case Offer::Kind::nothing: return ":";
  }
  return ":";
}

// "run --topology") ...: completion of the value after an option of a page.
std::string values_in_bash(const Page& page) {
  std::string lines;
  for (const OptionWords& option : options_of(page.help)) {
    if (option.value.empty()) continue;
    const std::string also = option.brief.empty() ? "" : fmt::format(" | \"{} {}\"", page.name, option.brief);
    lines += fmt::format("      \"{} {}\"{}) {} ;;\n", page.name, option.name, also,
                         action_in_bash(offer_of(option)));
  }
  return lines;
}

std::string options_in_bash(const Page& page) {
  std::string words;
  for (const OptionWords& option : options_of(page.help))
    words += fmt::format("{}{}", words.empty() ? "" : " ", option.name);
  return fmt::format("    {}) words=\"{}\" ;;\n", page.name, words);
}

// Completion of a page's positional argument.
std::string positional_in_bash(const Page& page) {
  for (const OptionWords& option : options_of(page.help)) {
    if (option.name == "--" + page.help.positional)
      return fmt::format("    {}) {} ;;\n", page.name, action_in_bash(offer_of(option)));
  }
  return {};
}

template <class Line>
std::string joined(const std::vector<Page>& pages, Line line) {
  std::string text;
  for (const Page& page : pages) text += line(page);
  return text;
}

constexpr std::string_view kBash = R"(# Completion of kbsim for bash, as kbsim completion bash prints it.
_kbsim_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
}}

_kbsim() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=run bench= words= i
  local commands="{commands}"
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if ((COMP_CWORD > 1)) && [[ " $commands " == *" ${{COMP_WORDS[1]}} "* ]]; then command=${{COMP_WORDS[1]}}; fi
  for ((i = 1; i + 1 < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} == --bench ]]; then
      bench=${{COMP_WORDS[i + 1]}}
      if [[ $bench == = ]]; then bench=${{COMP_WORDS[i + 2]}}; fi
    fi
  done
  COMPREPLY=()
  local option
  for option in "$command $before" "$bench $before"; do
    case $option in
{values}      *) continue ;;
    esac
    if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"); fi
    return
  done
  if [[ $word != -* ]]; then
    if ((COMP_CWORD == 1)); then words=$commands; fi
    case $command in
{positional}    *) ;;
    esac
    if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"); fi
    if ((${{#COMPREPLY[@]}} > 0)); then return; fi
  fi
  case $command in
{options}  esac
  local all=$words
  case $command in
    {runners})
      case $bench in
{own}      *) words= ;;
      esac
      all+=" $words" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$all" -- "$word")
}}
complete -F _kbsim kbsim
)";

}  // namespace

std::string bash_completion() {
  const std::vector<Page> commands = completed_pages();
  const std::vector<Page> benches = bench_pages();
  std::vector<std::string> names;
  for (const Page& page : commands) names.push_back(page.name);
  return fmt::format(fmt::runtime(kBash), fmt::arg("commands", fmt::join(names, " ")),
                     fmt::arg("values", joined(commands, values_in_bash) + joined(benches, values_in_bash)),
                     fmt::arg("positional", joined(commands, positional_in_bash)),
                     fmt::arg("runners", names_of_runners()),
                     fmt::arg("options", joined(commands, options_in_bash)),
                     fmt::arg("own", joined(benches, options_in_bash)));
}

}  // namespace kbsim::app
