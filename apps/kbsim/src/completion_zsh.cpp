#include "completion_zsh.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "option_words.hpp"

namespace kbsim::app {
namespace {

// Escapes text for a specification of _arguments, within single quotes.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '\\' || c == '[' || c == ']' || c == ':') result += '\\';
    result += c;
  }
  return result;
}

std::string action_in_zsh(const Offer& offer) {
  switch (offer.kind) {
    case Offer::Kind::files: return "_files";
    case Offer::Kind::folders: return "_files -/";
    case Offer::Kind::words: return fmt::format("({})", fmt::join(offer.words, " "));
    case Offer::Kind::nothing: return " ";
  }
  return " ";
}

std::string option_in_zsh(const OptionWords& option) {
  std::string specs;
  const std::string value =
      option.value.empty() ? ""
                           : fmt::format(":{}:{}", escaped(option.value), action_in_zsh(offer_of(option)));
  const auto add = [&](const std::string& name, const char* joint) {
    specs +=
        fmt::format("      '*{}{}[{}]{}'\n", name, value.empty() ? "" : joint, escaped(option.doc), value);
  };
  add(option.name, "=");
  if (!option.brief.empty()) add(option.brief, "+");
  return specs;
}

std::string page_in_zsh(const Page& page) {
  std::string specs;
  for (const OptionWords& option : options_of(page.help)) {
    specs += option_in_zsh(option);
    if (option.name == "--" + page.help.positional)
      specs += fmt::format("      '1:{}:{}'\n", escaped(option.value), action_in_zsh(offer_of(option)));
  }
  return fmt::format("    {}) specs+=(\n{}    ) ;;\n", page.name, specs);
}

constexpr std::string_view kZsh = R"(#compdef kbsim
# Completion of kbsim for zsh, as kbsim completion zsh prints it.
_kbsim() {{
  local command=run bench=
  local -a commands specs
  commands=(
{commands}  )
  if (( CURRENT > 2 )) && [[ -n ${{(M)commands:#${{words[2]}}:*}} ]]; then
    command=${{words[2]}}
    shift words
    (( CURRENT-- ))
  elif (( CURRENT == 2 )) && [[ ${{words[2]}} != -* ]]; then
    _describe command commands
    return
  fi
  case $command in
{pages}  esac
  if [[ $command == ({runners}) ]]; then
    bench=${{words[${{words[(i)--bench]}} + 1]}}
    [[ -n ${{words[(r)--bench=*]}} ]] && bench=${{${{words[(r)--bench=*]}}#--bench=}}
    case $bench in
{own}    esac
  fi
  _arguments $specs
}}
if [[ ${{funcstack[1]}} == _kbsim ]]; then
  _kbsim "$@"
else
  compdef _kbsim kbsim
fi
)";

}  // namespace

std::string zsh_completion() {
  std::string names;
  std::string pages;
  std::string own;
  for (const Page& page : completed_pages()) {
    names += fmt::format("    '{}:{}'\n", page.name, escaped(page.doc));
    pages += page_in_zsh(page);
  }
  for (const Page& page : bench_pages()) own += page_in_zsh(page);
  return fmt::format(fmt::runtime(kZsh), fmt::arg("commands", names), fmt::arg("pages", pages),
                     fmt::arg("runners", names_of_runners()), fmt::arg("own", own));
}

}  // namespace kbsim::app
