#include "figure_style.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "replaced.hpp"

namespace kbsim::report {
namespace {

// From Paul Tol's "muted" and Okabe and Ito's palettes; docs/reference/cli.md has the table.
using Named = std::pair<std::string_view, std::string_view>;
constexpr std::array<Named, 14> kColours{{{"intercube_allreduce", "#332288"},
                                          {"ring_allreduce", "#56b4e9"},
                                          {"mesh_allreduce", "#117733"},
                                          {"tree_allreduce", "#cc6677"},
                                          {"hierarchical_allreduce", "#882255"},
                                          {"chunked_ring_allreduce", "#999933"},
                                          {"pipelined_ring_allreduce", "#aa4499"},
                                          {"bidirectional_ring_allreduce", "#44aa99"},
                                          {"torus_allreduce", "#e69f00"},
                                          {"ring_all_gather", "#0072b2"},
                                          {"ring_reduce_scatter", "#d55e00"},
                                          {"ring_broadcast", "#009e73"},
                                          {"ring_reduce", "#cc79a7"},
                                          {"ring_all_to_all", "#88ccee"}}};

constexpr std::array<std::string_view, 7> kPlaces{"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                  "#cc79a7", "#56b4e9", "#332288"};

std::string_view without_memory_and_ranks(std::string_view name) {
  for (const std::string_view memory : {"_tcm", "_hbm", "_sram"}) {
    if (name.ends_with(memory)) return name.substr(0, name.size() - memory.size());
  }
  const std::size_t last = name.find_last_not_of("0123456789");
  const bool numbered = last != std::string_view::npos && last + 1 < name.size() && name[last] == '_';
  return numbered ? name.substr(0, last) : name;
}

std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

constexpr const char* kScript = R"gnuplot(# Draws NAME.png and NAME.svg from NAME.csv: gnuplot NAME.gp
set datafile separator comma
set datafile columnheaders
set datafile missing "NaN"
set grid linetype 1 linewidth 1 linecolor "gray85"
set border linewidth 2
SETTINGS
do for [kind in "png svg"] {
  if (kind eq "png") { set terminal pngcairo noenhanced size 1600, 900 font ",20" }
  else { set terminal svg noenhanced size 1600, 900 font "sans,20" fontscale 1.3333 background "white" }
  set output "NAME.".kind
  set title "TITLE"
  PLOT
}
set output
)gnuplot";

}  // namespace

std::string colour_of(std::string_view algorithm) {
  const std::string_view name = without_memory_and_ranks(algorithm);
  const auto* known = std::ranges::find(kColours, name, &Named::first);
  if (known == kColours.end()) known = &kColours[fnv1a(name) % kColours.size()];
  return std::string{known->second};
}

std::string colour_at(std::size_t place) { return std::string{kPlaces[place % kPlaces.size()]}; }

std::string in_script(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '"': safe += R"(\")"; break;
      case '\\': safe += R"(\\)"; break;
      case '`': safe += R"(\140)"; break;
      case '\n': safe += ' '; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string script_of(const Drawing& drawing) {
  std::string script = replaced(replaced(kScript, "SETTINGS", drawing.settings), "PLOT", drawing.plot);
  return replaced(replaced(script, "TITLE", in_script(drawing.title)), "NAME", drawing.name);
}

}  // namespace kbsim::report
