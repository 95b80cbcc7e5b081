// The manual page: kbsim help --man.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "help.hpp"
#include "option_words.hpp"

namespace kbsim::app {
namespace {

// Escapes text for roff: no line begins with a command, and a hyphen stays one.
std::string roff(std::string_view text) {
  std::string result;
  bool at_begin = true;
  for (const char c : text) {
    if (at_begin && (c == '.' || c == '\'')) result += "\\&";
    if (c == '-' || c == '\\') result += c == '-' ? "\\" : "\\e";
    if (c != '\\') result += c;
    at_begin = c == '\n';
  }
  return result;
}

std::string option_in_roff(const OptionWords& option) {
  const std::string brief = option.brief.empty() ? "" : fmt::format("{}, ", option.brief);
  const std::string value = option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.value));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(brief + option.name), value, roff(option.doc));
}

std::string options_in_roff(const Help& help) {
  std::string text;
  for (const OptionWords& option : options_of(help)) {
    if (option.name == "--help") continue;
    const auto group = std::ranges::find(help.groups, option.name.substr(2), &OptionGroup::first);
    if (group != help.groups.end()) text += fmt::format(".PP\n\\fI{}\\fR\n", roff(group->title));
    text += option_in_roff(option);
  }
  return text;
}

std::string command_in_roff(const Page& page) {
  return fmt::format(".SS kbsim {}\n{}.\n.PP\n\\fB{}\\fR\n{}", page.name, roff(page.doc),
                     roff(page.help.usage), options_in_roff(page.help));
}

std::string bench_in_roff(const Page& page) {
  return fmt::format(".SS \\-\\-bench {}\n{}.\n{}", page.name, roff(page.doc), options_in_roff(page.help));
}

constexpr std::string_view kBegin = R"(.TH KBSIM 1 "" "kbsim {version}" "User Commands"
.SH NAME
kbsim \- simulates a multi\-chip AI accelerator
.SH SYNOPSIS
\fBkbsim\fR [\fBrun\fR] \fB\-\-bench\fR \fINAME\fR [\fB\-\-topology\fR \fIFILE\fR] [\fIoptions\fR]
.br
\fBkbsim\fR \fICOMMAND\fR [\fIoptions\fR]
.SH DESCRIPTION
How long would it take on a machine that doesn't exist yet, and is the result right?
A file without a folder is looked for in the current folder, then among the installed configs.
Results go to stdout, everything else to stderr.
.SH COMMANDS
)";

constexpr std::string_view kEnd = R"(.SH ENVIRONMENT
.TP
\fBKBSIM_CCL_TRACE=1\fR
a line on stderr for each tile that a PE sends or receives
.TP
\fBKBSIM_CCL_DEBUG=INFO\fR
a line on stderr for each collective that picks its algorithm
.TP
\fBMILESTONE_FAST=1\fR
\-\-reuse of the milestones
.SH EXAMPLES
.nf
kbsim list
kbsim \-\-bench ccl_allreduce
kbsim \-\-bench ccl \-\-algorithm ring_all_gather \-b 1K \-e 1M \-f 4
kbsim probe \-\-case pe\-far\-cube\-hbm
.fi
)";

}  // namespace

std::string man_page() {
  std::string text = fmt::format(fmt::runtime(kBegin), fmt::arg("version", roff(KBSIM_VERSION)));
  for (const Page& page : command_pages()) text += command_in_roff(page);
  text += ".SH BENCHES\n";
  for (const Page& page : bench_pages()) text += bench_in_roff(page);
  text += ".SH EXIT STATUS\n";
  for (const ExitMeaning& exit : exit_meanings())
    text += fmt::format(".TP\n{}\n{}\n", exit.code, roff(exit.means));
  return text + std::string{kEnd};
}

}  // namespace kbsim::app
