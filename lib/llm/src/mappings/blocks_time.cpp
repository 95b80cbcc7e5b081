// How long product_blocks takes. Own rows go to the PEs of the cube that need their columns, and from these
// to other cubes, while weights stream from HBM; then the PEs of a cube add up their sums.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "kbsim/kernels/llm/block_work.hpp"

#include "product_times.hpp"

namespace kbsim::inference {
namespace {

// A chunk as the PE sees it that has the most rows and columns.
struct BlocksChunk {
  double rows, own, groups;          // all of them; those of a PE; PEs that have any
  double piece, pieces;              // rows of a message; messages of a PE's rows
  double k, n, passes;               // columns of x; columns of a pass
  double sources, panel, of_source;  // cubes whose columns it needs; columns of a panel; panels of each cube
  double takers;                     // PEs that need columns of the own cube
  bool few;

  [[nodiscard]] double panels() const { return sources * of_source; }
  [[nodiscard]] double sums() const { return piece * n; }
};

BlocksChunk blocks_chunk(const Product& product, std::int64_t rows, const PackageSite& site,
                         const ProductStep& step) {
  const llm::PeGrid& grid = site.grid;
  const double slot = static_cast<double>(grid.slot_bytes) / static_cast<double>(itemsize(product.dtype));
  BlocksChunk chunk{};
  chunk.rows = static_cast<double>(llm::chunk_rows(grid, rows, 0, step.chunks).all);
  chunk.own = quotient(chunk.rows, grid.pes);
  chunk.groups = std::min<double>(grid.pes, chunk.rows);
  chunk.piece = std::min(chunk.own, static_cast<double>(llm::piece_rows(grid, rows)));
  chunk.pieces = quotient(chunk.own, chunk.piece);
  chunk.k = static_cast<double>(llm::part_of(product.k, 0, grid.pes).size);
  chunk.n = static_cast<double>(llm::columns_of_blocks(grid, rows, product.n));
  chunk.passes = quotient(static_cast<double>(llm::part_of(product.n, 0, grid.cubes()).size), chunk.n);
  const auto of_cube = static_cast<double>(llm::part_of(product.k, 0, grid.cubes()).size);
  chunk.sources = quotient(chunk.k, of_cube);
  const double together = std::min(chunk.k, of_cube);
  const double widest = std::clamp(slot / static_cast<double>(llm::piece_rows(grid, rows)), 1.0,
                                   static_cast<double>(llm::kWidestPart));
  chunk.of_source = quotient(together, widest);
  chunk.panel = quotient(together, chunk.of_source);
  chunk.takers = std::min<double>(grid.pes, quotient(of_cube, chunk.k));
  chunk.few = llm::blocks::few_rows(grid, rows);
  return chunk;
}

// Bytes on the links of a line of cubes. Each cube gets all that the others have: directly from there, or
// from cube to cube.
class LineLoad {
 public:
  LineLoad(int cubes, bool directly)
      : directly_{directly},
        upwards_(static_cast<std::size_t>(cubes)),
        downwards_(static_cast<std::size_t>(cubes)) {}

  void add(int from, double bytes) {
    const int cubes = static_cast<int>(upwards_.size());
    for (int i = from; i + 1 < cubes; ++i)
      upwards_[static_cast<std::size_t>(i)] += bytes * (directly_ ? cubes - 1 - i : 1);
    for (int i = from; i > 0; --i) downwards_[static_cast<std::size_t>(i)] += bytes * (directly_ ? i : 1);
  }
  [[nodiscard]] double most() const {
    return std::max(std::ranges::max(upwards_), std::ranges::max(downwards_));
  }

 private:
  bool directly_;
  std::vector<double> upwards_, downwards_;  // by the cube that the link leaves
};

class BlocksTime {
 public:
  BlocksTime(const Product& product, const PackageSite& site, const BlocksChunk& chunk)
      : product_{product}, site_{site}, grid_{site.grid}, chunk_{chunk}, units_{product, site} {}

  // All rows are multiplied at once, panel by panel; then sums go to the PEs whose rows they are.
  [[nodiscard]] double few_rows(double weights) const {
    const double dot = units_.dot(chunk_.rows, chunk_.panel, chunk_.n);
    const double load = units_.copy(chunk_.rows * chunk_.panel);
    const double of_panel = std::max(dot, load + units_.commands(2));
    // Products of the second matrix follow all of the first one's.
    const double last = load + units_.commands(2) + dot + (matrices() - 1) * chunk_.panels() * of_panel;
    const double engine = matrices() * chunk_.panels() * dot;
    const double first_pass = std::max(
        {few_gathered() + last, stream(weights) / chunk_.passes + dot,
         std::max(own_to_parts() + to_cube() + load, units_.first_weights(chunk_.panel * chunk_.n, weights)) +
             engine});
    const double more = std::max({engine, matrices() * chunk_.panels() * of_panel,
                                  (units_.weights(weights) - site_.hbm_ns) / chunk_.passes});
    return first_pass + (chunk_.passes - 1) * more + chunk_.passes * (joined() + finished());
  }

  // Each turn the PE multiplies a group of rows and passes its sums on.
  [[nodiscard]] double many_rows(double weights) const {
    const double turns = chunk_.passes * grid_.pes;
    const double dot = units_.dot(chunk_.piece, chunk_.panel, chunk_.n);
    const double all = units_.weights(weights);
    const double first = site_.hbm_ns + (all - site_.hbm_ns) / chunk_.passes;  // pass
    return std::max({many_gathered() + turns * turn(), many_gathered() + busy(false) + turn(),
                     first + dot + (turns - 1) * turn(), all + dot + (grid_.pes - 1) * turn()}) +
           finished();
  }

 private:
  [[nodiscard]] double matrices() const { return static_cast<double>(product_.matrices()); }
  [[nodiscard]] double bytes(double elements) const {
    return elements * static_cast<double>(itemsize(product_.dtype));
  }
  static double sum_bytes(double elements) { return elements * static_cast<double>(itemsize(f32)); }
  [[nodiscard]] double block() const { return chunk_.piece * chunk_.panel; }

  // Own rows to the other PEs of the cube, one after the other.
  [[nodiscard]] double own_to_parts() const {
    const double messages = chunk_.of_source * chunk_.pieces;
    return std::min<double>(chunk_.takers, grid_.pes - 1) *
           (units_.commands(2 * messages - 1) + units_.copy(block()));
  }
  [[nodiscard]] double to_cube() const {
    return grid_.pes == 1 ? 0.0 : units_.message(site_.cube, site_.cube.farthest_ns, bytes(block()));
  }
  [[nodiscard]] double expects() const {
    return units_.commands(chunk_.panels() * chunk_.groups * chunk_.pieces);
  }

  // The busiest link between cubes. Parts of x go along the row of their cube and then along all columns, or
  // the other way round.
  [[nodiscard]] double busy(bool directly) const {
    std::vector<LineLoad> rows(static_cast<std::size_t>(grid_.h), LineLoad{grid_.w, directly});
    std::vector<LineLoad> columns(static_cast<std::size_t>(grid_.w), LineLoad{grid_.h, directly});
    for (int pe = 0; pe < grid_.pes; ++pe) {
      const llm::Part part = llm::part_of(product_.k, pe, grid_.pes);
      for (int cube = 0; cube < grid_.cubes(); ++cube) {
        const llm::Part shared = llm::common(part, llm::part_of(product_.k, cube, grid_.cubes()));
        const double x = bytes(chunk_.rows * static_cast<double>(shared.size));
        const int at_row = cube / grid_.w;
        const int at_column = cube % grid_.w;
        const bool columns_first = pe % 2 == 1;
        for (int row = 0; row < grid_.h; ++row) {
          if (columns_first || row == at_row) rows[static_cast<std::size_t>(row)].add(at_column, x);
        }
        for (int column = 0; column < grid_.w; ++column) {
          if (!columns_first || column == at_column) columns[static_cast<std::size_t>(column)].add(at_row, x);
        }
      }
    }
    const double of_rows = std::ranges::max(rows, {}, &LineLoad::most).most() / site_.row.rate;
    return std::max(of_rows, std::ranges::max(columns, {}, &LineLoad::most).most() / site_.column.rate);
  }

  // Until the last panel has come; rows go directly to all cubes of a line.
  [[nodiscard]] double few_gathered() const {
    const auto along = [&](const LineWays& ways, int n) {
      return n == 1 ? 0.0 : units_.message(ways, ways.farthest_ns, bytes(block()));
    };
    const double latency = along(site_.row, grid_.w) + along(site_.column, grid_.h);
    const double to_lines = grid_.w - 1 + grid_.h - 1;
    const double in_line = std::min<double>(chunk_.sources, grid_.w) - 1;  // other sources: it passes them on
    const double passing =
        units_.commands(chunk_.of_source * chunk_.groups * chunk_.pieces * (to_lines + in_line * grid_.h));
    const double x = bytes(chunk_.rows * static_cast<double>(product_.k)) / grid_.cubes();
    const double inside =
        std::max(x / grid_.pes / grid_.pes * site_.cube.all_ns_per_byte, x / chunk_.takers / site_.port_rate);
    const double sent = bytes(chunk_.rows * chunk_.panel * chunk_.of_source) * to_lines / site_.port_rate;
    return own_to_parts() + latency +
           std::max(std::max(expects(), to_cube()) + passing,
                    to_cube() + std::max({busy(true), inside, sent}));
  }

  // Until the first turn's rows have come from the farthest cube, from cube to cube.
  [[nodiscard]] double many_gathered() const {
    const auto along = [&](const LineWays& ways, int n) {
      return n == 1
                 ? 0.0
                 : (n - 1) * (units_.message(ways, ways.next_ns, bytes(block())) + 2 * units_.copy(block()));
    };
    return own_to_parts() + expects() + to_cube() + along(site_.row, grid_.w) + along(site_.column, grid_.h);
  }

  // Weights, and x, which comes by the same port.
  [[nodiscard]] double stream(double weights) const {
    return std::max(units_.weights(weights),
                    (bytes(weights) + bytes(chunk_.rows * chunk_.k)) / site_.port_rate);
  }

  [[nodiscard]] double turn() const {
    const auto beside = [](int n) { return std::min(n - 1, 2); };  // cubes
    const double items = chunk_.pieces * matrices();
    const double relays = chunk_.of_source * chunk_.pieces *
                          (beside(grid_.w) + beside(grid_.h) + chunk_.sources - 1) / chunk_.passes;
    const double loads = chunk_.panels() * chunk_.pieces / chunk_.passes;
    const double of_item = units_.commands(2 + chunk_.panels());
    const double dots = chunk_.panels() * units_.dot(chunk_.piece, chunk_.panel, chunk_.n);
    const double passed_on = units_.message(site_.cube, site_.cube.next_ns, sum_bytes(chunk_.sums()));
    const double x = bytes(chunk_.own * chunk_.k) / chunk_.passes;
    return std::max({units_.commands(loads + relays) + items * of_item, items * dots,
                     (items * sum_bytes(chunk_.sums()) + x) / site_.port_rate, dots + passed_on + of_item});
  }

  // Sums are stored, sent and added, one PE's after the other's.
  [[nodiscard]] double joined() const {
    const double part = chunk_.own * chunk_.n;
    const double all = matrices() * sum_bytes(part);
    const double inside = std::max(all * chunk_.groups / grid_.pes * site_.cube.all_ns_per_byte,
                                   all * (grid_.pes - 1) / site_.port_rate);
    const double sends = units_.commands(matrices() * (grid_.pes + chunk_.groups - 1));
    return units_.copy(sum_bytes(chunk_.rows * chunk_.n) / bytes(1)) + std::max(sends, inside) +
           units_.message(site_.cube, site_.cube.farthest_ns, sum_bytes(part)) +
           matrices() * grid_.pes * units_.elementwise(part);
  }

  // The results of a message's sums.
  [[nodiscard]] double finished() const {
    const double results = (chunk_.few ? chunk_.own : chunk_.piece) * chunk_.n;
    return units_.activation(results) + units_.epilogue(results) + units_.residual(results) +
           units_.copy(results) + units_.commands(2);
  }

  const Product& product_;
  const PackageSite& site_;
  const llm::PeGrid& grid_;
  const BlocksChunk& chunk_;
  UnitTimes units_;
};

}  // namespace

Time blocks_time(const Product& product, std::int64_t rows, const PackageSite& site,
                 const ProductStep& step) {
  const BlocksChunk chunk = blocks_chunk(product, rows, site, step);
  const BlocksTime time{product, site, chunk};
  const auto columns = static_cast<double>(llm::part_of(product.n, 0, site.grid.cubes()).size);
  const double all = static_cast<double>(product.matrices()) * chunk.k * columns;
  const double weights = all / (step.keeps_weights ? step.chunks : 1);
  return from_ns(step.chunks * (chunk.few ? time.few_rows(weights) : time.many_rows(weights)));
}

}  // namespace kbsim::inference
