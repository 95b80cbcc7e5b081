// A cube, enlarged: its mesh of routers within a crossbar, PEs inside of it and their HBM slices outside.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/enumerate.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/report/number_text.hpp"

#include "machine_drawing.hpp"

namespace kbsim::report {
namespace {

namespace views = ranges::views;

using topology::Graph;

constexpr double kXbar = 14.0;      // thickness of the crossbar
constexpr double kPeZone = 44.0;    // between the crossbar and the first and last rows of routers
constexpr double kCpuZone = 54.0;   // above the middle row
constexpr double kHbmZone = 58.0;   // between the die's edge and the crossbar
constexpr double kSideZone = 22.0;  // likewise, east and west

class CubeDrawing {
 public:
  CubeDrawing(Svg& svg, const Graph& graph, const Box& die)
      : svg_{svg},
        spec_{graph.spec()},
        noc_{graph.spec().cube.noc},
        cube_{graph.cube(0, 0)},
        die_{die},
        xbar_{die.x + kSideZone + kXbar / 2, die.y + kHbmZone + kXbar / 2, die.w - 2 * kSideZone - kXbar,
              die.h - 2 * kHbmZone - kXbar},
        mesh_{xbar_.x + kXbar, xbar_.y + kXbar / 2, xbar_.w - 2 * kXbar, xbar_.h - kXbar},
        cell_w_{mesh_.w / noc_.w},
        cell_h_{(mesh_.h - 2 * kPeZone - kCpuZone) / noc_.h},
        router_{std::min(30.0, 0.42 * std::min(cell_w_, cell_h_))} {}

  void draw() {
    svg_.rect("die", die_, 10);
    svg_.is("@.xbar");
    svg_.line(
        "band", kXbar,
        fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}Z", xbar_.x, xbar_.y, xbar_.w, xbar_.h, -xbar_.w));
    svg_.text("mid", 10, xbar_.mid_x() + 60, xbar_.y + 3.5, "crossbar");
    draw_ucie();
    draw_pes();
    draw_mesh();
    draw_shared();
    draw_own_parts();
    draw_routers();
  }

 private:
  [[nodiscard]] double x(int column) const { return mesh_.x + (column + 0.5) * cell_w_; }
  [[nodiscard]] double y(int row) const {
    return mesh_.y + kPeZone + (row + 0.5) * cell_h_ + (row >= noc_.h / 2 ? kCpuZone : 0.0);
  }
  // A wire at an offset from the middle of a router's side.
  [[nodiscard]] double beside(double offset) const { return offset * router_ / 30.0; }
  [[nodiscard]] double noc_width() const { return width_of(noc_.link); }

  void draw_mesh() {
    for (const auto [r, c] : views::cartesian_product(views::indices(noc_.h), views::indices(noc_.w))) {
      if (c > 0) hop({.row = r, .column = c - 1}, {.row = r, .column = c});
      if (r > 0) hop({.row = r - 1, .column = c}, {.row = r, .column = c});
    }
  }

  struct Place {
    int row;
    int column;
  };
  [[nodiscard]] static std::string router_at(const Place& at) {
    return fmt::format("@.noc.r{}_{}", at.row, at.column);
  }
  void hop(const Place& from, const Place& to) {
    svg_.is(router_at(from) + "|" + router_at(to));
    svg_.line(
        "l-noc", noc_width(),
        fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x(from.column), y(from.row), x(to.column), y(to.row)));
  }

  void draw_routers() {
    for (const auto [r, c] : views::cartesian_product(views::indices(noc_.h), views::indices(noc_.w))) {
      const Box box{x(c) - router_ / 2, y(r) - router_ / 2, router_, router_};
      svg_.is(router_at({.row = r, .column = c}));
      svg_.rect("router", box, router_ / 5);
      svg_.label("mid soft", 9, box, fmt::format("r{}_{}", r, c));
    }
  }

  // Drawn over the crossbar, not part of it.
  void port(char side, double at_x, double at_y, const std::string& wire) {
    const std::string name = fmt::format("@.ucie_{}", side);
    svg_.line("halo", noc_width() + 4, wire);
    svg_.is(name);
    svg_.line("l-noc", noc_width(), wire);
    const Box box{at_x - 18, at_y - 9, 36, 18};
    svg_.is(name);
    svg_.rect("port", box, 4);
    svg_.label("mid", 10, box, "UCIe");
  }

  void draw_ucie() {
    const int row = noc_.h / 2;
    const int column = noc_.w / 2;
    port('e', die_.right(), y(row),
         fmt::format("M{:.1f} {:.1f}H{:.1f}", x(noc_.w - 1), y(row), die_.right()));
    port('w', die_.x, y(row), fmt::format("M{:.1f} {:.1f}H{:.1f}", x(0), y(row), die_.x));
    const double edge = x(column) - cell_w_ / 2;
    const double start = x(column) - beside(10);
    const double above = y(0) - router_ / 2 - 10;
    const double below = y(noc_.h - 1) + router_ / 2 + 10;
    const auto wire = [&](double from, double turn, double to) {
      return fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}", start, from, turn, edge, to);
    };
    port('n', edge, die_.y, wire(y(0), above, die_.y));
    port('s', edge, die_.bottom(), wire(y(noc_.h - 1), below, die_.bottom()));
  }

  struct Seat {
    int column;
    bool north;
    auto operator<=>(const Seat&) const = default;
  };

  void draw_pes() {
    std::map<Seat, std::vector<int>> seats;
    for (const auto& [pe, nodes] : views::zip(views::iota(0), cube_.pes)) {
      const auto place = std::ranges::find(cube_.noc, nodes.router) - cube_.noc.begin();
      const auto column = static_cast<int>(place) % noc_.w;
      seats[{column, is_north(corner(pe))}].push_back(pe);
    }
    for (const auto& [seat, pes] : seats) {
      join_xbar(seat, is_west(corner(pes.front())));
      for (const auto& [i, pe] : views::enumerate(pes)) draw_pe(seat, pe, i, pes.size());
    }
  }

  [[nodiscard]] config::Corner corner(int pe) const {
    const config::PeLayoutSpec& layout = spec_.cube.pe_layout;
    return layout.corners[static_cast<std::size_t>(pe / layout.pe_per_corner)];
  }

  // A PE, its router below (above), its HBM slice on the other side of the crossbar.
  void draw_pe(const Seat& seat, int pe, std::size_t i, std::size_t of) {
    const double inset = std::min(10.0, 0.12 * cell_w_);
    const double width = (cell_w_ - 2 * inset) / static_cast<double>(of);
    const double left = x(seat.column) - cell_w_ / 2 + inset + static_cast<double>(i) * width;
    const double gap = of > 1 ? 0.05 * width : 0.0;
    const auto mirrored = [&](double down, double height) {
      return seat.north ? die_.y + down : die_.bottom() - down - height;
    };
    const double pe_top = kHbmZone + kXbar + 9;
    const Box box{left + gap, mirrored(pe_top, 28), width - 2 * gap, 28};
    const Box slice{box.x, mirrored(18, 30), box.w, 30};
    const double row_y = seat.north ? y(0) : y(noc_.h - 1);
    const double near = seat.north ? box.bottom() : box.y;
    svg_.is(fmt::format("@.pe{}|@.noc", pe));
    svg_.line("l-pe", width_of(spec_.pe.link),
              fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", box.mid_x(), near, x(seat.column), row_y));
    stub("l-pe", width_of(spec_.pe.link), box.mid_x(), seat.north ? box.y : box.bottom(),
         seat.north ? -9 : 9);
    stub("l-hbm", width_of(spec_.cube.xbar_to_hbm), box.mid_x(), seat.north ? slice.bottom() : slice.y,
         seat.north ? 10 : -10);
    svg_.is(fmt::format("@.pe{}", pe));
    svg_.rect("pe", box, 4);
    svg_.label("mid", 11, box, fmt::format("PE{}", pe));
    svg_.is(fmt::format("@.hbm{}", pe));
    svg_.rect("mem", slice, 3);
    svg_.label("mid", 10, {slice.x, slice.y + 1, slice.w, 15}, fmt::format("HBM {}", pe));
    svg_.label("mid soft", 9, {slice.x, slice.y + 14, slice.w, 14}, size(spec_.hbm_per_pe()));
  }

  void stub(std::string_view look, double width, double at_x, double at_y, double length) {
    svg_.line(look, width, fmt::format("M{:.1f} {:.1f}v{:.1f}", at_x, at_y, length));
  }

  // From a PE's router past the PE.
  void join_xbar(const Seat& seat, bool west) {
    const double side = west ? -1.0 : 1.0;
    const double up = seat.north ? -1.0 : 1.0;
    const double row_y = seat.north ? y(0) : y(noc_.h - 1);
    const double target = seat.north ? xbar_.y + kXbar / 2 : xbar_.bottom() - kXbar / 2;
    svg_.line("l-xbar", 0.7 * noc_width(),
              fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}", x(seat.column) + side * beside(12), row_y,
                          row_y + up * (router_ / 2 + 5),
                          x(seat.column) + side * (cell_w_ / 2 - std::min(5.0, 0.06 * cell_w_)), target));
  }

  void draw_shared() {
    shared(-1.0, "cpu", "M_CPU", "@.m_cpu");
    shared(1.0, "mem", "SRAM", "@.sram");
  }

  void shared(double side, std::string_view look, std::string_view name, const std::string& of) {
    const int row = noc_.h / 2;
    const double at_x = x(noc_.w / 2);
    const double width = std::min(90.0, 0.5 * cell_w_ - 10);
    const Box box{at_x + side * (0.25 * cell_w_ + 2) - width / 2, y(row) - cell_h_ / 2 - kCpuZone + 12, width,
                  26};
    svg_.line("l-noc", 0.7 * noc_width(),
              fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}", box.mid_x(), box.bottom(),
                          y(row) - router_ / 2 - 15, at_x + side * beside(6), y(row)));
    svg_.is(of);
    svg_.rect(look, box, 4);
    svg_.label("mid", 10, box, name);
  }

  // Custom components, one below the other under the middle router.
  void draw_own_parts() {
    const config::PartsSpec& parts = spec_.cube.parts;
    const double at_x = x(noc_.w / 2);
    const double at_y = y(noc_.h / 2);
    const auto count = static_cast<double>(std::max<std::size_t>(parts.size(), 1));
    const double height = std::min(16.0, (cell_h_ - router_ - 8) / count);
    double top = at_y + router_ / 2 + 4;
    for (const auto& [name, part] : parts) {
      const Box box{at_x - cell_w_ / 2 + 5, top, cell_w_ - 10, 0.9 * height};
      svg_.line("l-noc", 0.5 * width_of(part.link), fmt::format("M{:.1f} {:.1f}V{:.1f}", at_x, at_y, top));
      svg_.is("@." + name);
      svg_.rect("cpu", box, 3);
      svg_.label("mid", 9, box, name);
      top += height;
    }
  }

  Svg& svg_;
  const config::MachineSpec& spec_;
  const config::NocSpec& noc_;
  const topology::CubeNodes& cube_;
  Box die_;
  Box xbar_;  // the middle line of its band
  Box mesh_;
  double cell_w_;
  double cell_h_;
  double router_;
};

}  // namespace

void draw_cube(Svg& svg, const Graph& graph, const Box& area) { CubeDrawing{svg, graph, area}.draw(); }

}  // namespace kbsim::report
