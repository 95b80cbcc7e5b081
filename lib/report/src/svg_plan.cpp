// A cube with a floor plan, enlarged: each router a cell at its place, with what stands there in it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/enumerate.hpp>
#include <range/v3/view/indices.hpp>

#include "kbsim/topology/side.hpp"

#include "machine_drawing.hpp"

namespace kbsim::report {
namespace {

namespace views = ranges::views;

using topology::Graph;

constexpr double kBand = 12.0;         // thickness of the crossbar, if there is one
constexpr double kDieMargin = 10.0;    // between the die's edge, or the crossbar, and the outer routers
constexpr double kCellShare = 0.74;    // of the distance between two routers
constexpr double kWidestCell = 130.0;  // of few routers
constexpr double kHighestCell = 96.0;  // likewise
constexpr double kLongestStub = 12.0;  // of a ring, at both edges
constexpr double kLargestText = 11.0;
constexpr double kLeastText = 6.0;     // smaller names are left out
constexpr double kLetterWidth = 0.64;  // in font sizes

/// A part in a router's cell.
struct PlanPart {
  std::string_view look;
  std::string of;                  // "@.pe3"
  std::vector<std::string> names;  // the longest that fits is written
  bool has_wire = false;           // to the router, drawn along its upper edge
  std::size_t spare = 0;           // letters that the longest name of its kind has more
};

std::size_t digits(std::size_t number) { return std::to_string(number).size(); }

Box inset(const Box& box, double by) { return {box.x + by, box.y + by, box.w - 2 * by, box.h - 2 * by}; }

class PlanDrawing {
 public:
  PlanDrawing(Svg& svg, const Graph& graph, const Box& die)
      : svg_{svg},
        spec_{graph.spec()},
        noc_{graph.spec().cube.noc},
        plan_{graph.plan()},
        die_{die},
        grid_{inset(die, kDieMargin + (plan_.channels.empty() ? kBand : 0.0))},
        pitch_x_{grid_.w / noc_.w},
        pitch_y_{grid_.h / noc_.h},
        cell_w_{std::min(kCellShare * pitch_x_, kWidestCell)},
        cell_h_{std::min(kCellShare * pitch_y_, kHighestCell)},
        parts_(plan_.routers.size()) {
    take_parts();
  }

  void draw() {
    svg_.style(".tip { fill: #6b9bd8 }");
    svg_.rect("die", die_, 10);
    if (plan_.channels.empty()) draw_crossbar();
    for (const auto [network, r, c] : views::cartesian_product(
             views::indices(noc_.networks()), views::indices(noc_.h), views::indices(noc_.w))) {
      join({.row = r, .column = c}, {.row = r, .column = (c + 1) % noc_.w}, network);
      join({.row = r, .column = c}, {.row = (r + 1) % noc_.h, .column = c}, network);
    }
    for (const auto [r, c] : views::cartesian_product(views::indices(noc_.h), views::indices(noc_.w)))
      if (is_router({.row = r, .column = c})) draw_router({.row = r, .column = c});
  }

 private:
  struct Place {
    int row;
    int column;
  };
  [[nodiscard]] std::size_t number(const Place& at) const {
    return static_cast<std::size_t>(at.row * noc_.w + at.column);
  }
  [[nodiscard]] bool is_router(const Place& at) const { return plan_.routers[number(at)]; }
  [[nodiscard]] static std::string name_of(const Place& at, int network = 0) {
    return fmt::format("@.noc{}.r{}_{}", network == 0 ? "" : std::to_string(network), at.row, at.column);
  }
  [[nodiscard]] Box cell(const Place& at) const {
    return {grid_.x + (at.column + 0.5) * pitch_x_ - cell_w_ / 2,
            grid_.y + (at.row + 0.5) * pitch_y_ - cell_h_ / 2, cell_w_, cell_h_};
  }

  void take_parts() {
    const auto at = [this](int router) -> std::vector<PlanPart>& {
      return parts_[static_cast<std::size_t>(router)];
    };
    for (const auto& [pe, router] : views::enumerate(plan_.pes)) {
      at(router).push_back({.look = "pe",
                            .of = fmt::format("@.pe{}", pe),
                            .names = {fmt::format("PE{}", pe), std::to_string(pe)},
                            .has_wire = true,
                            .spare = digits(plan_.pes.size() - 1) - digits(pe)});
      if (plan_.channels.empty()) at(router).push_back(memory(pe, plan_.pes.size(), false));
    }
    for (const auto& [channel, ports] : views::enumerate(plan_.channels)) {
      for (const int router : ports) at(router).push_back(memory(channel, plan_.channels.size(), true));
    }
    at(plan_.m_cpu).push_back({"cpu", "@.m_cpu", {"M_CPU", "CPU"}});
    for (const auto& [name, part] : spec_.cube.parts) at(plan_.m_cpu).push_back({"cpu", "@." + name, {name}});
    at(plan_.sram).push_back({"mem", "@.sram", {"SRAM", "SR"}});
    for (const topology::Side side : topology::kSides) {
      const char letter = "ewns"[topology::index(side)];
      at(plan_.ports[topology::index(side)])
          .push_back({"port",
                      fmt::format("@.ucie_{}", letter),
                      {fmt::format("UCIe {}", letter), fmt::format("U{}", letter)}});
    }
  }

  [[nodiscard]] static PlanPart memory(std::size_t number, std::size_t count, bool has_wire) {
    return {
        .look = "mem",
        .of = fmt::format("@.hbm{}", number),
        .names = {fmt::format("HBM {}", number), fmt::format("HBM{}", number), fmt::format("H{}", number)},
        .has_wire = has_wire,
        .spare = digits(count - 1) - digits(number)};
  }

  void draw_crossbar() {
    const Box band = inset(die_, kBand / 2 + 3);
    svg_.is("@.xbar");
    svg_.line("band", kBand,
              fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}Z", band.x, band.y, band.w, band.h, -band.w));
    svg_.text("mid", 10, band.mid_x(), band.y + 3.5, "crossbar: all PEs and their HBM");
  }

  /// How the wires of a row or a column are drawn: those of each network beside those of the others.
  struct Wires {
    bool along_row;
    bool back;  // from the later router to the earlier one
    std::string_view look;
    double aside;  // of the middle of the cells
  };

  // The wire from a router to the next one of its row or column; the last one's closes a ring.
  void join(const Place& here, const Place& next, int network) {
    const bool along_row = here.row == next.row;
    const bool closes = along_row ? next.column <= here.column : next.row <= here.row;
    const int size = along_row ? noc_.w : noc_.h;
    if (size == 1 || !is_router(here) || !is_router(next)) return;
    // A ring of two has one wire each way.
    if (closes && (!noc_.wrap || size == 2)) return;
    const config::NocLinks links = noc_.links[static_cast<std::size_t>(network)];
    const bool one_way = links != config::NocLinks::both && size > 2;
    const bool back = one_way && links == config::NocLinks::north_west;
    const Place& from = back ? next : here;
    const Place& to = back ? here : next;
    svg_.is(name_of(from, network) + "|" + name_of(to, network));
    const double room = (along_row ? cell_h_ : cell_w_) / noc_.networks();
    const Wires wires{.along_row = along_row,
                      .back = back,
                      .look = one_way ? "l-noc one-way" : "l-noc",
                      .aside = room * (network - (noc_.networks() - 1) / 2.0)};
    if (closes)
      stubs(from, to, wires);
    else
      wire(from, to, wires);
  }

  [[nodiscard]] double wire_width() const {
    return std::min(width_of(noc_.link), 0.3 * std::min(cell_w_, cell_h_) / noc_.networks());
  }
  [[nodiscard]] static std::string step(bool along_row, double length) {
    return fmt::format("{}{:.1f}", along_row ? 'h' : 'v', length);
  }

  // Between the edges of two cells, in the direction of the wire.
  void wire(const Place& from, const Place& to, const Wires& wires) {
    const auto [along_row, back, look, aside] = wires;
    const Box a = cell(from);
    const Box b = cell(to);
    const double gap =
        along_row ? (back ? b.right() - a.x : b.x - a.right()) : (back ? b.bottom() - a.y : b.y - a.bottom());
    const double x = along_row ? (back ? a.x : a.right()) : a.mid_x() + aside;
    const double y = along_row ? a.mid_y() + aside : (back ? a.y : a.bottom());
    svg_.line(look, wire_width(), fmt::format("M{:.1f} {:.1f}", x, y) + step(along_row, gap));
    if (look != "l-noc") tip(along_row ? x + gap / 2 : x, along_row ? y : y + gap / 2, along_row, back);
  }

  // A wire that goes on at the other edge: out of the cell at one edge and into the one at the other.
  void stubs(const Place& from, const Place& to, const Wires& wires) {
    const auto [along_row, back, look, aside] = wires;
    const double pitch = along_row ? pitch_x_ : pitch_y_;
    const double room = (pitch - (along_row ? cell_w_ : cell_h_)) / 2 + 0.6 * kDieMargin;
    const double length = std::min(kLongestStub, room);
    const double way = back ? -length : length;
    const Box a = cell(from);
    const Box b = cell(to);
    const double leaves_x = along_row ? (back ? a.x : a.right()) : a.mid_x() + aside;
    const double leaves_y = along_row ? a.mid_y() + aside : (back ? a.y : a.bottom());
    const double enters_x = along_row ? (back ? b.right() : b.x) - way : b.mid_x() + aside;
    const double enters_y = along_row ? b.mid_y() + aside : (back ? b.bottom() : b.y) - way;
    svg_.line(look, wire_width(),
              fmt::format("M{:.1f} {:.1f}{}M{:.1f} {:.1f}{}", leaves_x, leaves_y, step(along_row, way),
                          enters_x, enters_y, step(along_row, way)));
    if (look == "l-noc") return;
    const double half = 0.5 * way;
    tip(leaves_x + (along_row ? half : 0.0), leaves_y + (along_row ? 0.0 : half), along_row, back);
    tip(enters_x + (along_row ? half : 0.0), enters_y + (along_row ? 0.0 : half), along_row, back);
  }

  // An arrow head in the middle of a wire.
  void tip(double x, double y, bool along_row, bool back) {
    const double gap = along_row ? pitch_x_ - cell_w_ : pitch_y_ - cell_h_;
    const double size = std::clamp(0.35 * gap, 1.2, 1.5 + 1.2 * wire_width());
    const double ahead = back ? -size : size;
    if (along_row)
      svg_.area("tip", fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z", x + ahead, y, x - ahead,
                                   y - size, x - ahead, y + size));
    else
      svg_.area("tip", fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z", x, y + ahead, x - size,
                                   y - ahead, x + size, y - ahead));
  }

  void draw_router(const Place& at) {
    const Box box = cell(at);
    svg_.is(name_of(at));
    svg_.rect("router", box, std::min(5.0, 0.15 * std::min(box.w, box.h)));
    const std::string name = fmt::format("r{}_{}", at.row, at.column);
    const std::size_t spare = fmt::format("r{}_{}", noc_.h - 1, noc_.w - 1).size() - name.size();
    const std::vector<PlanPart>& parts = parts_[number(at)];
    if (parts.empty()) return label("mid soft", 9, box, {name}, spare);
    const double edge = std::min(4.0, 0.12 * std::min(box.w, box.h));
    constexpr double kHead = 11.0;
    const bool has_head = box.h >= kHead + edge + 11.0 * static_cast<double>(parts.size());
    if (has_head) label("mid soft", 8, {box.x, box.y + 1, box.w, kHead}, {name}, spare);
    const double top = box.y + (has_head ? kHead : edge);
    draw_parts(at, parts, {box.x + edge, top, box.w - 2 * edge, box.bottom() - edge - top});
  }

  // As many columns as make the parts least narrow and least low.
  void draw_parts(const Place& at, const std::vector<PlanPart>& parts, const Box& area) {
    constexpr double kWide = 2.4;  // a name's width over its height
    const auto count = static_cast<int>(parts.size());
    const auto worth = [&](int columns) {
      const int rows = (count + columns - 1) / columns;
      return std::min(area.w / columns / kWide, area.h / rows);
    };
    int columns = 1;
    for (int tried = 2; tried <= count; ++tried) columns = worth(tried) > worth(columns) ? tried : columns;
    const int rows = (count + columns - 1) / columns;
    const double w = area.w / columns;
    const double h = area.h / rows;
    const double gap = std::min(1.5, 0.06 * std::min(w, h));
    for (const auto& [i, part] : views::enumerate(parts)) {
      const auto place = static_cast<int>(i);
      draw_part(at, part,
                inset({area.x + place % columns * w, area.y + static_cast<double>(place / columns) * h, w, h},
                      gap));
    }
  }

  void draw_part(const Place& at, const PlanPart& part, const Box& box) {
    svg_.is(part.of);
    svg_.rect(part.look, box, std::min(3.0, 0.15 * std::min(box.w, box.h)));
    constexpr double kLeastWithWire = 12.0;
    constexpr double kWire = 3.0;
    Box rest = box;
    if (part.has_wire && box.h >= kLeastWithWire) {
      svg_.is(part.of + "|" + name_of(at));
      svg_.rect(part.look, {box.x, box.y, box.w, kWire}, 1);
      rest.y += kWire;
      rest.h -= kWire;
    }
    label("mid", kLargestText, rest, part.names, part.spare);
  }

  // The first of the names that can be read in the box, as can all others of its kind.
  void label(std::string_view look, double largest, const Box& box, const std::vector<std::string>& names,
             std::size_t spare) {
    for (const std::string& name : names) {
      const double widest = (box.w - 1) / (kLetterWidth * static_cast<double>(name.size() + spare));
      const double size = std::floor(10.0 * std::min({largest, widest, 0.95 * box.h})) / 10.0;
      if (size < kLeastText) continue;
      return svg_.text(look, size, box.mid_x(), box.mid_y() + 0.35 * size, name);
    }
  }

  Svg& svg_;
  const config::MachineSpec& spec_;
  const config::NocSpec& noc_;
  const config::FloorPlan& plan_;
  Box die_;
  Box grid_;  // of the routers
  double pitch_x_;
  double pitch_y_;
  double cell_w_;
  double cell_h_;
  std::vector<std::vector<PlanPart>> parts_;  // by router
};

}  // namespace

bool has_plan(const config::CubeSpec& cube) {
  return cube.floorplan.given() || cube.noc.wrap || cube.noc.has_several();
}

void draw_plan(Svg& svg, const Graph& graph, const Box& area) { PlanDrawing{svg, graph, area}.draw(); }

}  // namespace kbsim::report
