// Scripts of pictures have the right colours, labels and tics, and gnuplot draws them without a message.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <regex.h>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/report/attention_figures.hpp"
#include "kbsim/report/ccl_figures.hpp"
#include "kbsim/report/correlation.hpp"
#include "kbsim/report/gnuplot.hpp"
#include "kbsim/report/output_folder.hpp"

#include "files.hpp"

using namespace kbsim;
using namespace kbsim::report;
using kbsim::test::fresh_place;

namespace {

boost::json::object collective_row(const char* label, double size, double time, double bound = 0.1) {
  return {{"sip_topology", "ring_1d"},
          {"buffer_kind", "tcm"},
          {"label", label},
          {"algorithm", label},
          {"world_size", 2},
          {"type", "half"},
          {"redop", "sum"},
          {"size", size},
          {"time", time},
          {"bus_bw", time},
          {"bound_us", bound},
          {"sip_w", 2},
          {"sip_h", 1},
          {"package_links", "0>1:10 1>0:0"}};
}

// Two that coincide, one apart, and a bound.
boost::json::array three_algorithms() {
  boost::json::array rows;
  for (const double size : {64.0, 1024.0, 16384.0, 1048576.0}) {
    rows.push_back(collective_row("ring_allreduce", size, 1.0 + size / 1e4));
    rows.push_back(collective_row("chunked_ring_allreduce", size, 1.001 * (1.0 + size / 1e4)));
    rows.push_back(collective_row("mesh_allreduce", size, 3.0 + size / 1e4));
  }
  return rows;
}

using Groups = std::vector<std::string>;  // the whole match, then what its parentheses hold

// All matches in a text; a match ends in its line. POSIX: a file with std::regex takes seconds more to
// compile.
std::vector<Groups> matches_in(const std::string& text, const std::string& pattern) {
  regex_t compiled{};
  REQUIRE(regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NEWLINE) == 0);
  std::vector<Groups> all;
  std::array<regmatch_t, 4> found{};
  for (const char* rest = text.c_str(); regexec(&compiled, rest, found.size(), found.data(), 0) == 0;
       rest += found[0].rm_eo) {
    Groups& groups = all.emplace_back();
    for (const regmatch_t& group : found)
      if (group.rm_so >= 0) groups.emplace_back(rest + group.rm_so, rest + group.rm_eo);
  }
  regfree(&compiled);
  return all;
}

struct Label {
  std::string text;
  std::string colour;
  double place;
};

std::vector<Label> labels_in(const Figure& figure) {
  std::vector<Label> labels;
  for (const Groups& label : matches_in(
           figure.script,
           R"re(set label [0-9]+ "([^"]*)" at graph 1\.025, graph ([0-9.]+) .*textcolor rgb "([^"]*)")re"))
    labels.push_back({.text = label.at(1), .colour = label.at(3), .place = std::stod(label.at(2))});
  return labels;
}

std::string colour_in(const Figure& figure, const std::string& text) {
  const auto labels = labels_in(figure);
  const auto found = std::ranges::find(labels, text, &Label::text);
  return found == labels.end() ? "none" : found->colour;
}

// Tics of axis `name`, in order.
std::vector<std::string> tics_in(const Figure& figure, char name) {
  std::vector<std::string> tics;
  for (const Groups& all : matches_in(figure.script, std::string{"set "} + name + R"re(tics \(([^)]*)\))re"))
    for (const Groups& one : matches_in(all.at(1), R"re("([^"]*)")re")) tics.push_back(one.at(1));
  return tics;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool gnuplot_is_installed() { return std::system("command -v gnuplot > /dev/null") == 0; }

// Messages of gnuplot while it draws.
std::string said_of(const Figure& figure) {
  const std::filesystem::path place = fresh_place("figures");
  std::filesystem::create_directories(place);
  { std::ofstream{place / (figure.name + ".csv")} << figure.data; }
  { std::ofstream{place / (figure.name + ".gp")} << figure.script; }
  const std::string command = "cd " + place.string() + " && gnuplot " + figure.name + ".gp 2>&1";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe{popen(command.c_str(), "r"), pclose};
  std::string said;
  std::array<char, 256> some{};
  while (std::fgets(some.data(), some.size(), pipe.get()) != nullptr) said += some.data();
  for (const char* picture : {".png", ".svg"})
    if (!std::filesystem::exists(place / (figure.name + picture))) said += "nothing drawn";
  return said;
}

}  // namespace

TEST_CASE("Figures: an algorithm has one colour in all of them, whatever its memory or number of ranks") {
  const Figure latency = ccl_figures(three_algorithms())[0];
  CHECK(colour_in(latency, "ring_allreduce") == "#56b4e9");
  CHECK(colour_in(latency, "mesh_allreduce") == "#117733");
  for (const char* name :
       {"mesh_allreduce", "mesh_allreduce_4", "mesh_allreduce_hbm", "mesh_allreduce_sram"}) {
    boost::json::array rows{collective_row(name, 64, 1.0), collective_row(name, 128, 2.0)};
    CHECK(colour_in(sweep_figure(rows), "sum") == "#117733");
    CHECK(colour_in(bandwidth_figure(rows, Bandwidth::gbs(128.0)), "sum") == "#117733");
    CHECK(colour_in(ccl_figures(rows)[0], name) == "#117733");
  }
  const boost::json::array own{collective_row("mine", 64, 1.0), collective_row("mine", 128, 2.0)};
  CHECK(colour_in(sweep_figure(own), "sum") == colour_in(ccl_figures(own)[0], "mine"));
}

TEST_CASE("Figures: labels at the lines' ends keep their distance, in the order of the ends") {
  boost::json::array rows;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "algorithm" + std::to_string(i);
    for (const double size : {64.0, 1024.0})
      rows.push_back(collective_row(name.c_str(), size, 1.0 + 0.01 * i));
  }
  auto labels = labels_in(ccl_figures(rows)[0]);
  REQUIRE(labels.size() == 13);
  std::ranges::sort(labels, {}, &Label::place);
  CHECK(labels.front().text == "bound");
  CHECK(labels.front().place >= 0.0);
  CHECK(labels.back().place <= 1.0);
  for (std::size_t i = 1; i < labels.size(); ++i) {
    CHECK(labels[i].place - labels[i - 1].place >= 0.0499);
    if (i > 1) CHECK(labels[i].text == "algorithm" + std::to_string(i - 1));
  }
}

TEST_CASE("Figures: of lines that coincide the later one is dashed and thinner, others are solid") {
  const Figure figure = ccl_figures(three_algorithms())[0];
  CHECK(figure.data.starts_with("size,chunked_ring_allreduce,mesh_allreduce,ring_allreduce,bound\n"));
  CHECK(has(figure.script, "using 1:2 with linespoints dashtype solid linewidth 5 "));
  CHECK(has(figure.script, "using 1:3 with linespoints dashtype solid linewidth 5 "));
  CHECK(has(figure.script, "using 1:4 with linespoints dashtype (12, 12) linewidth 4 "));
}

TEST_CASE("Figures: bounds are last, grey and dashed; a bandwidth has the line of the link, if it was used") {
  const Figure latency = ccl_figures(three_algorithms())[0];
  CHECK(has(latency.script,
            "using 1:5 with lines dashtype (12, 8) linewidth 3 linecolor \"gray50\" notitle\n"));
  CHECK(labels_in(latency).back().text == "bound");
  boost::json::array rows{collective_row("ring_allreduce", 64, 1.0),
                          collective_row("ring_allreduce", 128, 2.0)};
  const Figure bandwidth = bandwidth_figure(rows, Bandwidth::gbs(128.0));
  CHECK(bandwidth.data == "size,sum,link: 128 GB/s\n64,1,128\n128,2,128\n");
  CHECK(labels_in(bandwidth).back().text == "link: 128 GB/s");
  for (auto& row : rows) row.as_object()["package_links"] = "0>1:0 1>0:0";
  CHECK(bandwidth_figure(rows, Bandwidth::gbs(128.0)).data == "size,sum\n64,1\n128,2\n");
}

TEST_CASE("Figures: sizes are in B, KiB and MiB; a logarithmic axis has three labels at least") {
  const Figure wide = ccl_figures(three_algorithms())[0];
  CHECK(tics_in(wide, 'x') ==
        std::vector<std::string>{"64 B", "256 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"});
  CHECK(tics_in(wide, 'y') ==
        std::vector<std::string>{"0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50", "100", "200"});
  const Figure narrow =
      sweep_figure({collective_row("mine", 1000, 1.01), collective_row("mine", 1001, 1.02)});
  CHECK(tics_in(narrow, 'x') == std::vector<std::string>{"1000 B", "1001 B"});
  CHECK(tics_in(narrow, 'y') == std::vector<std::string>{"0.8", "1", "1.2"});
  const Figure half = sweep_figure({collective_row("mine", 64, 1.1), collective_row("mine", 128, 1.9)});
  CHECK(tics_in(half, 'y') == std::vector<std::string>{"1", "1.5", "2"});
  const Figure one = sweep_figure({collective_row("mine", 4096, 1.0)});
  CHECK(tics_in(one, 'x') == std::vector<std::string>{"2 KiB", "4 KiB", "8 KiB"});
  CHECK(tics_in(one, 'y').size() >= 3);
  const Figure tall = sweep_figure({collective_row("mine", 1, 1e-3), collective_row("mine", 1 << 30, 1e6)});
  CHECK(tics_in(tall, 'y') == std::vector<std::string>{"0.001", "0.01", "0.1", "1", "10", "100", "1000",
                                                       "10000", "100000", "1e+06"});
}

TEST_CASE("Figures: type is for slides") {
  for (const Figure& figure : ccl_figures(three_algorithms())) {
    CHECK(has(figure.script, "pngcairo noenhanced size 1600, 900 font \",20\""));
    CHECK(has(figure.script, "svg noenhanced size 1600, 900 font \"sans,20\" fontscale 1.3333"));  // of px
    CHECK(matches_in(figure.script, R"re(font ",([0-9]|1[0-7])")re").empty());
  }
}

TEST_CASE("Figures: gnuplot draws them and has nothing to say, of one point and of zeros, too") {
  if (!gnuplot_is_installed()) return;
  for (const Figure& figure : ccl_figures(three_algorithms())) CHECK(said_of(figure) == "");
  for (const double time : {0.0, 1.0}) {
    const boost::json::array rows{collective_row("mine", 4096, time)};
    if (time > 0.0) CHECK(said_of(sweep_figure(rows)) == "");
    CHECK(said_of(bandwidth_figure(rows, Bandwidth::gbs(128.0))) == "");
  }
  Correlation correlation;
  correlation.points.push_back({.of = "a", .size = 64, .simulated = 1.0, .reference = 1.0});
  CHECK(said_of(correlation_figure(correlation)) == "");
}

TEST_CASE("Figures: the colours are those of the table in docs/reference/cli.md, each of one algorithm") {
  const std::string page = kbsim::test::contents(KBSIM_SOURCE_DIR "/docs/reference/cli.md");
  std::map<std::string, std::string> names;  // by colour
  for (const Groups& entry : matches_in(page, R"re(`([a-z_]+)` \| [a-z ]+ `(#[0-9a-f]{6})`)re")) {
    const std::string& name = entry.at(1);
    CHECK(colour_in(sweep_figure({collective_row(name.c_str(), 64, 1.0)}), "sum") == entry.at(2));
    CHECK(names.emplace(entry.at(2), name).second);
  }
  CHECK(names.size() == 14);
}
