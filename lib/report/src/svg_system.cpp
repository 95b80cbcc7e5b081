// The packages of a machine, where they are.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kbsim/topology/sip_grid.hpp"

#include "machine_drawing.hpp"

namespace kbsim::report {
namespace {

using topology::Graph;
using topology::LinkClass;
using topology::Point;
using topology::Side;

constexpr double kHostStrip = 92.0;     // above the packages: host, switch and the bus to the first row
constexpr double kSwitchStrip = 84.0;   // below them, if switches join them
constexpr double kSystemMargin = 34.0;  // beside and below them: wires that wrap around

Point package_mm(const config::SipSpec& sip) {
  return {sip.cube_mesh.w * sip.cube_size.w_mm, (sip.cube_mesh.h + 1) * sip.cube_size.h_mm};
}

/// Places of packages in mm: those of the machine, but a row of many packages is folded into rows that go to
/// and fro, so that neighbours stay neighbours.
class PackagePlaces {
 public:
  explicit PackagePlaces(const Graph& graph)
      : graph_{graph}, count_{graph.spec().system.sips.count}, size_{package_mm(graph.spec().sip)} {
    constexpr int kMostInRow = 8;
    const topology::SipGrid grid{graph.spec().system.sips};
    folded_ = grid.height() == 1 && count_ > kMostInRow;
    columns_ = folded_ ? static_cast<int>(std::ceil(std::sqrt(count_))) : grid.width();
    if (folded_) pitch_ = built(1).x - built(0).x;
  }

  [[nodiscard]] bool folded() const { return folded_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int rows() const { return (count_ + columns_ - 1) / columns_; }
  [[nodiscard]] int row(int sip) const { return sip / columns_; }
  [[nodiscard]] Point size() const { return size_; }

  [[nodiscard]] Point origin(int sip) const {
    if (!folded_) return built(sip);
    const int along = sip % columns_;
    const int column = row(sip) % 2 == 0 ? along : columns_ - 1 - along;
    return {column * pitch_, row(sip) * (size_.y + pitch_ - size_.x)};
  }
  [[nodiscard]] Point extent() const {
    Point extent;
    for (int sip = 0; sip < count_; ++sip) {
      const Point at = origin(sip);
      extent = {std::max(extent.x, at.x + size_.x), std::max(extent.y, at.y + size_.y)};
    }
    return extent;
  }

 private:
  [[nodiscard]] Point built(int sip) const {
    const config::SizeSpec& cube = graph_.spec().sip.cube_size;
    const Point first = graph_.node(graph_.sips()[static_cast<std::size_t>(sip)].io_noc.front()).pos_mm;
    return {first.x - 0.5 * cube.w_mm, first.y - 0.5 * cube.h_mm};
  }

  const Graph& graph_;
  int count_;
  Point size_;
  bool folded_ = false;
  int columns_ = 1;
  double pitch_ = 0.0;  // from package to package
};

class SystemDrawing {
 public:
  SystemDrawing(Svg& svg, const Graph& graph, const Box& area)
      : svg_{svg}, graph_{graph}, spec_{graph.spec()}, grid_{spec_.system.sips}, places_{graph} {
    const Point extent = places_.extent();
    const Box room{area.x + kSystemMargin, area.y + kHostStrip, area.w - 2 * kSystemMargin,
                   area.h - kHostStrip - kSystemMargin - (graph.switches().empty() ? 0.0 : kSwitchStrip)};
    scale_ = std::min(room.w / extent.x, room.h / extent.y);
    left_ = room.x + (room.w - scale_ * extent.x) / 2;
    top_ = room.y + (room.h - scale_ * extent.y) / 2;
    cube_w_ = scale_ * spec_.sip.cube_size.w_mm;
    cube_h_ = scale_ * spec_.sip.cube_size.h_mm;
    number_size_ = std::min(11.0, 0.5 * cube_w_);
    thin_ = std::clamp(std::min(cube_w_, cube_h_) / 50.0, 0.25, 1.0);
  }

  void draw(const PeCoord& enlarged) {
    draw_host();
    for (int sip = 0; sip < spec_.system.sips.count; ++sip) join_package(sip);
    for (int member = spec_.system.sips.count; member < graph_.network().members(); ++member)
      join_listed(member);
    for (int sip = 0; sip < spec_.system.sips.count; ++sip) draw_package(sip, enlarged);
    draw_switches();
  }

  [[nodiscard]] Box cube(int sip, int cube) const {
    const Box package = this->package(sip);
    const int w = spec_.sip.cube_mesh.w;
    constexpr double kInset = 0.12;
    return {package.x + (cube % w + kInset) * cube_w_, package.y + (cube / w + 1 + kInset) * cube_h_,
            (1 - 2 * kInset) * cube_w_, (1 - 2 * kInset) * cube_h_};
  }

 private:
  [[nodiscard]] Box package(int sip) const {
    const Point at = places_.origin(sip);
    const Point size = places_.size();
    return {left_ + scale_ * at.x, top_ + scale_ * at.y, scale_ * size.x, scale_ * size.y};
  }
  [[nodiscard]] Box io(int sip) const {
    const Box p = package(sip);
    return {p.x + 0.12 * cube_w_, p.y + 0.2 * cube_h_, p.w - 0.24 * cube_w_, 0.6 * cube_h_};
  }
  [[nodiscard]] double gap_x() const { return std::min(kSystemMargin, 0.5 * package(0).w / 2); }
  [[nodiscard]] double gap_y() const { return std::min(kSystemMargin, 0.5 * package(0).h / 2); }

  // Host and switch above, a bus above each row of packages, a drop into each IO chiplet.
  void draw_host() {
    const double width = width_of(spec_.system.host_link.bandwidth);
    const double trunk = left_ - 0.75 * kSystemMargin;
    const double y = top_ - 76;
    const double bottom = package((places_.rows() - 1) * places_.columns()).y - 0.5 * gap_y();
    svg_.line("l-host", width, fmt::format("M{0:.1f} {1:.1f}V{2:.1f}", trunk, y + 13, bottom));
    svg_.is("host|switch");
    svg_.line("l-host", width, fmt::format("M{0:.1f} {1:.1f}H{2:.1f}", trunk, y + 13, left_ + 160));
    for (int row = 0; row < places_.rows(); ++row) {
      const Box last = rightmost(row);
      svg_.line("l-host", width,
                fmt::format("M{:.1f} {:.1f}H{:.1f}", trunk, last.y - 0.5 * gap_y(), last.x + 0.15 * last.w));
    }
    for (int sip = 0; sip < spec_.system.sips.count; ++sip) {
      const Box p = package(sip);
      svg_.is(fmt::format("switch|sip{}", sip));
      svg_.line("l-host", width,
                fmt::format("M{:.1f} {:.1f}V{:.1f}", p.x + 0.15 * p.w, p.y - 0.5 * gap_y(), io(sip).y));
    }
    svg_.is("switch");
    box("host", {left_, y, 64, 26}, "switch");
    svg_.is("host");
    box("host", {left_ + 104, y, 64, 26}, "host");
  }

  [[nodiscard]] Box rightmost(int row) const {
    const int first = row * places_.columns();
    const int last = std::min(spec_.system.sips.count, first + places_.columns()) - 1;
    return package(first).x > package(last).x ? package(first) : package(last);
  }

  void box(std::string_view look, const Box& at, std::string_view name) {
    svg_.rect(look, at, 4);
    svg_.label("mid", 12, at, name);
  }

  void join_package(int sip) {
    using enum config::SipTopology;
    const config::SipTopology joined = spec_.system.sips.topology;
    if (joined == links) return join_listed(sip);
    const bool ring = joined == ring_1d || joined == ring_1d_unidir;
    if (ring && places_.folded()) return join_folded(sip);
    if (config::is_grid(joined) || ring) return join_neighbours(sip);
    for (const topology::SipPort& port : graph_.network().ports(sip)) {
      if (!port.begins) continue;
      joins(sip, port.peer);
      join_below(sip, port.peer);
    }
  }

  // Packages farther apart are joined by a deeper bow.
  void join_below(int sip, int peer) {
    const Box from = package(sip);
    const Box to = package(peer);
    const double depth = gap_y() * std::min(1.0, 0.25 * (1 + std::abs(peer - sip)));
    package_link(fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", from.mid_x(), from.bottom(),
                             (from.mid_x() + to.mid_x()) / 2, from.bottom() + 2 * depth, to.mid_x(),
                             to.bottom()));
  }

  // Links of the file's list. Several between two packages are side by side.
  void join_listed(int member) {
    const topology::SipNetwork& network = graph_.network();
    const std::vector<topology::SipPort>& ports = network.ports(member);
    for (auto port = ports.begin(); port != ports.end(); ++port) {
      const bool to_switch = network.is_switch(port->peer);
      if (network.is_switch(member) ? !port->begins || !to_switch : !port->begins && !to_switch) continue;
      const double aside =
          4.0 * static_cast<double>(std::count_if(ports.begin(), port, [&](const topology::SipPort& one) {
            return one.peer == port->peer;
          }));
      const double width = width_of(topology::SipNetwork::wire(spec_.system.sips, *port).rate());
      svg_.is(name(member) + "|" + name(port->peer));
      svg_.line("l-package", width, listed_path(member, port->peer, aside));
    }
  }

  [[nodiscard]] std::string name(int member) const {
    const topology::SipNetwork& network = graph_.network();
    return network.is_switch(member) ? network.switches()[network.switch_number(member)]
                                     : fmt::format("sip{}", member);
  }

  [[nodiscard]] std::string listed_path(int a, int b, double aside) const {
    const topology::SipNetwork& network = graph_.network();
    if (network.is_switch(a) && network.is_switch(b)) return between_switches(a, b, aside);
    if (network.is_switch(a)) return to_switch(b, a, aside);
    if (network.is_switch(b)) return to_switch(a, b, aside);
    return between_packages(std::min(a, b), std::max(a, b), aside);
  }

  // Straight to a neighbour, else in a bow below both.
  [[nodiscard]] std::string between_packages(int a, int b, double aside) const {
    const bool next = b == a + 1 && places_.row(a) == places_.row(b);
    const Box& left = package(a).x < package(b).x ? package(a) : package(b);
    const Box& right = package(a).x < package(b).x ? package(b) : package(a);
    if (next) return fmt::format("M{:.1f} {:.1f}H{:.1f}", left.right(), io(a).mid_y() + aside, right.x);
    const Box from = package(a);
    const Box to = package(b);
    if (from.x == to.x && places_.row(b) == places_.row(a) + 1)
      return fmt::format("M{:.1f} {:.1f}V{:.1f}", from.mid_x() + aside, from.bottom(), to.y);
    const double depth = gap_y() * std::min(1.0, 0.25 * (1 + std::abs(b - a))) + aside;
    return fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", from.mid_x(), from.bottom(),
                       (from.mid_x() + to.mid_x()) / 2, std::max(from.bottom(), to.bottom()) + 2 * depth,
                       to.mid_x(), to.bottom());
  }

  // Down beside the packages of the rows below, then to the switch.
  [[nodiscard]] std::string to_switch(int sip, int member, double aside) const {
    const Box from = package(sip);
    const Box to = switch_box(member);
    const int below = places_.rows() - 1 - places_.row(sip);
    const std::string start = fmt::format("M{:.1f} {:.1f}", from.mid_x() + aside, from.bottom());
    const double bottom = top_ + scale_ * places_.extent().y;
    std::string down;
    if (below > 0) {
      const double beside = from.right() + gap_x() * (0.2 + 0.6 * places_.row(sip) / places_.rows()) + aside;
      down = fmt::format("v{:.1f}H{:.1f}V{:.1f}", 0.3 * gap_y() + aside, beside, bottom);
    }
    return start + down + fmt::format("L{:.1f} {:.1f}", to.mid_x() + aside, to.y);
  }

  [[nodiscard]] std::string between_switches(int a, int b, double aside) const {
    const Box from = switch_box(a);
    const Box to = switch_box(b);
    return fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", from.mid_x(), from.bottom(),
                       (from.mid_x() + to.mid_x()) / 2, from.bottom() + 24 + aside, to.mid_x(), to.bottom());
  }

  // Side by side below the packages.
  [[nodiscard]] Box switch_box(int member) const {
    const double all = scale_ * places_.extent().x;
    const double pitch = all / static_cast<double>(graph_.switches().size());
    const double width = std::min(90.0, 0.8 * pitch);
    const double at = left_ + (static_cast<double>(graph_.network().switch_number(member)) + 0.5) * pitch;
    return {at - width / 2, top_ + scale_ * places_.extent().y + kSwitchStrip - 34, width, 26};
  }

  void draw_switches() {
    for (int member = spec_.system.sips.count; member < graph_.network().members(); ++member) {
      svg_.is(name(member));
      box("host", switch_box(member), name(member));
    }
  }

  // A folded ring: along its row, down to the next row, and from the last package around all others.
  void join_folded(int sip) {
    const auto east = grid_.neighbour(sip, Side::east);
    if (!east) return;
    joins(sip, *east);
    const Box from = package(sip);
    const Box to = package(*east);
    if (places_.row(sip) == places_.row(*east)) {
      const Box& left = from.x < to.x ? from : to;
      const Box& right = from.x < to.x ? to : from;
      return package_link(fmt::format("M{:.1f} {:.1f}H{:.1f}", left.right(), io(sip).mid_y(), right.x));
    }
    if (*east > sip)
      return package_link(fmt::format("M{:.1f} {:.1f}V{:.1f}", from.mid_x(), from.bottom(), to.y));
    package_link(fmt::format("M{:.1f} {:.1f}v{:.1f}H{:.1f}V{:.1f}H{:.1f}", from.mid_x(), from.bottom(),
                             0.45 * gap_y(), to.x - 0.45 * gap_x(), io(*east).mid_y(), to.x));
  }

  // Its links east and south; those that wrap go around their row or column.
  void join_neighbours(int sip) {
    const Box from = package(sip);
    const double y = io(sip).mid_y();
    if (const auto east = grid_.neighbour(sip, Side::east)) {
      joins(sip, *east);
      const Box to = package(*east);
      if (to.x > from.x)
        package_link(fmt::format("M{:.1f} {:.1f}H{:.1f}", from.right(), y, to.x));
      else
        package_link(fmt::format("M{:.1f} {:.1f}h{:.1f}V{:.1f}H{:.1f}V{:.1f}H{:.1f}", from.right(), y,
                                 0.45 * gap_x(), from.bottom() + 0.75 * gap_y(), to.x - 0.45 * gap_x(), y,
                                 to.x));
    }
    if (const auto south = grid_.neighbour(sip, Side::south)) {
      joins(sip, *south);
      const Box to = package(*south);
      if (to.y > from.y)
        package_link(fmt::format("M{:.1f} {:.1f}V{:.1f}", from.mid_x(), from.bottom(), to.y));
      else
        package_link(fmt::format("M{:.1f} {:.1f}v{:.1f}H{:.1f}V{:.1f}H{:.1f}V{:.1f}", from.mid_x(),
                                 from.bottom(), 0.45 * gap_y(), from.right() + 0.8 * gap_x(),
                                 to.y - 0.8 * gap_y(), to.mid_x(), to.y));
    }
  }
  void joins(int sip, int peer) { svg_.is(fmt::format("sip{}|sip{}", sip, peer)); }
  void package_link(const std::string& path) {
    svg_.line("l-package", width_of(spec_.system.sips.link.rate()), path);
  }

  void draw_package(int sip, const PeCoord& enlarged) {
    const Box p = package(sip);
    svg_.rect("sip", p, std::min(8.0, 0.2 * cube_w_));
    join_cubes(sip);
    svg_.is(fmt::format("sip{}.io", sip));
    svg_.rect("io", io(sip), 3);
    svg_.label("mid", 11, io(sip), io(sip).w > 90 ? "IO chiplet" : "IO");
    for (int c = 0; c < spec_.cubes_per_sip(); ++c) {
      const bool here = sip == enlarged.sip && c == enlarged.cube;
      svg_.is(fmt::format("sip{}.cube{}", sip, c));
      svg_.rect(here ? "here" : "cube", cube(sip, c), std::min(4.0, 0.1 * cube_w_));
      svg_.label("mid", number_size_, cube(sip, c), std::to_string(c));
    }
    svg_.text("bold", std::min(11.0, 0.11 * p.w), p.x + 2, p.bottom() + 12, fmt::format("sip{}", sip));
  }

  void join_cubes(int sip) {
    const int w = spec_.sip.cube_mesh.w;
    const double width = thin_ * width_of(spec_.sip.ucie_link.bandwidth);
    for (int c = 0; c < spec_.cubes_per_sip(); ++c) {
      const Box b = cube(sip, c);
      const double above = c < w ? io(sip).bottom() : cube(sip, c - w).bottom();
      svg_.is(c < w ? fmt::format("sip{0}.io|sip{0}.cube{1}", sip, c)
                    : fmt::format("sip{0}.cube{1}|sip{0}.cube{2}", sip, c - w, c));
      svg_.line("l-ucie", width, fmt::format("M{:.1f} {:.1f}V{:.1f}", b.mid_x(), above, b.y));
      if (c % w == 0) continue;
      svg_.is(fmt::format("sip{0}.cube{1}|sip{0}.cube{2}", sip, c - 1, c));
      svg_.line("l-ucie", width,
                fmt::format("M{:.1f} {:.1f}H{:.1f}", cube(sip, c - 1).right(), b.mid_y(), b.x));
    }
  }

  Svg& svg_;
  const Graph& graph_;
  const config::MachineSpec& spec_;
  topology::SipGrid grid_;
  PackagePlaces places_;
  double scale_ = 1.0;
  double left_ = 0.0;
  double top_ = 0.0;
  double cube_w_ = 0.0;
  double cube_h_ = 0.0;
  double thin_ = 1.0;
  double number_size_ = 11.0;  // of the cubes
};

}  // namespace

double system_aspect(const Graph& graph) {
  const Point extent = PackagePlaces{graph}.extent();
  return extent.x / extent.y;
}

Enlarged draw_system(Svg& svg, const Graph& graph, const Box& area, bool enlarge_at_right) {
  const PackagePlaces places{graph};
  const config::ExtentSpec& mesh = graph.spec().sip.cube_mesh;
  const int last = graph.spec().system.sips.count - 1;
  const PeCoord at = enlarge_at_right
                         ? PeCoord{.sip = std::min(places.columns() - 1, last), .cube = mesh.w - 1}
                         : PeCoord{.sip = std::min((places.rows() - 1) * places.columns(), last),
                                   .cube = mesh.w * (mesh.h - 1)};
  SystemDrawing drawing{svg, graph, area};
  drawing.draw(at);
  return {.at = at, .box = drawing.cube(at.sip, at.cube)};
}

}  // namespace kbsim::report
