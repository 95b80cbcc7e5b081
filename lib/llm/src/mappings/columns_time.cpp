// How long product_columns takes. x comes to all PEs panel by panel, while weights stream from HBM; then the
// results of each PE's columns go to the PEs that have their rows.
#include <algorithm>

#include "kbsim/kernels/llm/panel_gather.hpp"
#include "kbsim/kernels/llm/to_rows.hpp"

#include "product_times.hpp"

namespace kbsim::inference {
namespace {

// A chunk as the PE sees it that has the most rows and columns.
struct ColumnsChunk {
  double rows, own, senders;      // all of them; those of a PE; PEs that have any
  double slab, cube;              // columns of the PE and of its cube
  double panel, panels, of_cube;  // columns of a panel; panels of all cubes and of one
  double messages;                // of a PE's rows of a panel
  bool relayed;                   // from cube to cube
};

ColumnsChunk columns_chunk(const Product& product, std::int64_t rows, const PackageSite& site,
                           const ProductStep& step) {
  const llm::PeGrid& grid = site.grid;
  const auto bytes = static_cast<double>(itemsize(product.dtype));
  const double slot = static_cast<double>(grid.slot_bytes) / bytes;
  ColumnsChunk chunk{};
  chunk.rows = static_cast<double>(llm::chunk_rows(grid, rows, 0, step.chunks).all);
  chunk.own = quotient(chunk.rows, grid.pes);
  chunk.senders = std::min<double>(grid.pes, chunk.rows);
  chunk.slab = static_cast<double>(llm::slab_of(grid, product.n, {}).size);
  chunk.cube = static_cast<double>(llm::part_of(product.n, 0, grid.cubes()).size);
  const auto columns = static_cast<double>(llm::part_of(product.k, 0, grid.cubes()).size);
  const auto widest = static_cast<double>(llm::panel_of_columns(grid, product.n, product.dtype));
  chunk.of_cube = quotient(columns, std::min(widest, slot));
  chunk.panel = quotient(columns, chunk.of_cube);
  chunk.panels = chunk.of_cube * std::min<double>(grid.cubes(), static_cast<double>(product.k));
  chunk.messages = quotient(chunk.own, std::max(slot / chunk.panel, 1.0));
  chunk.relayed = chunk.own * chunk.panel * bytes >= static_cast<double>(llm::kRelayedBytes);
  return chunk;
}

// Sends of a cube inside a line of n cubes that passes what comes from each side on to the other one.
int relays(int n) { return n < 3 ? n - 1 : n + 1; }

class ColumnsTime {
 public:
  ColumnsTime(const Product& product, const PackageSite& site, const ColumnsChunk& chunk)
      : product_{product}, site_{site}, grid_{site.grid}, chunk_{chunk}, units_{product, site} {}

  // Until all products are through, and with them all of the epilogue that the last product doesn't hide.
  [[nodiscard]] double products(double weights) const {
    const double dot = units_.dot(chunk_.rows, chunk_.panel, chunk_.slab);
    const double last = load() + matrices() * dot;  // of the last panel
    // Once the last panel has come, those that waited for it are multiplied, too.
    const double waiting = std::min<double>(chunk_.panels - 1, llm::kColumnsPanelsAhead) * matrices() * dot;
    const double first =
        std::max(own_load() + to_cube() + load(), units_.first_weights(chunk_.panel * chunk_.slab, weights));
    const double port = (bytes(chunk_.rows * k()) + bytes(weights)) / site_.port_rate;
    const double hidden = std::max(0.0, units_.activation(chunk_.rows * chunk_.slab) - dot);
    return std::max({in_order() + last, arrived() + waiting + last,
                     std::max(units_.weights(weights), port) + dot, copies() + last,
                     first + matrices() * chunk_.panels * dot}) +
           hidden + units_.epilogue(chunk_.rows * chunk_.slab);
  }

  // From results of the own columns to those of the own rows.
  [[nodiscard]] double to_rows() const {
    const double others = grid_.pes - 1;
    const double part = chunk_.own * chunk_.slab;
    const double message = units_.message(site_.cube, site_.cube.farthest_ns, bytes(part));
    if (chunk_.rows <= 1) return units_.commands(others + 1) + message + units_.copy(part);
    const double slot = static_cast<double>(grid_.slot_bytes) / bytes(1);
    const double messages = quotient(chunk_.own, std::max(slot / chunk_.slab, 1.0));
    const double exchange = message + bytes(part) * site_.cube.all_ns_per_byte;
    return std::max(units_.commands(messages * (3 * others + 3)),
                    units_.copy(chunk_.rows * chunk_.slab) + exchange + 2 * units_.copy(part));
  }

  // The results are read, added and stored again.
  [[nodiscard]] double residual() const {
    const double results = chunk_.own * chunk_.cube;
    return product_.residual ? units_.commands(2) + 2 * units_.copy(results) + units_.residual(results) : 0.0;
  }

 private:
  [[nodiscard]] double matrices() const { return static_cast<double>(product_.matrices()); }
  [[nodiscard]] double k() const { return static_cast<double>(product_.k); }
  [[nodiscard]] double bytes(double elements) const {
    return elements * static_cast<double>(itemsize(product_.dtype));
  }
  // A panel from the buffer; the PE's own rows of one; these rows to another PE of the cube.
  [[nodiscard]] double load() const { return units_.copy(chunk_.rows * chunk_.panel) - site_.dispatch_ns; }
  [[nodiscard]] double own_load() const { return units_.copy(chunk_.own * chunk_.panel); }
  [[nodiscard]] double to_cube() const {
    if (grid_.pes == 1) return 0.0;
    return units_.message(site_.cube, site_.cube.farthest_ns, bytes(chunk_.own * chunk_.panel));
  }

  // All that comes passes the TCM three times: from a slot to the buffer, from there into a tile, and out of
  // a tile to other PEs.
  [[nodiscard]] double copies() const { return 3 * bytes(chunk_.rows * k()) / site_.tcm_write_rate; }

  // pe_cpu's time for a panel: fetch and store (or load) own rows, sends, recvs, the panel's load and that of
  // its weights, products. It waits for the loads.
  [[nodiscard]] double of_panel() const {
    const double others = grid_.pes - 1;
    const double commands =
        chunk_.messages * (2 + others) + (chunk_.senders - 1) * chunk_.messages + 1 + 2 * matrices();
    const double of_others = grid_.cubes() - 1;
    const double onward = chunk_.relayed ? relays(grid_.w) + grid_.w * relays(grid_.h) : of_others;
    const double sends = onward * chunk_.of_cube * chunk_.messages / chunk_.panels;
    const double relay = chunk_.relayed ? chunk_.messages * (own_load() - site_.dispatch_ns) : 0.0;
    return units_.commands(commands + sends) + load() + relay;
  }

  // A panel's way along a line of n cubes.
  [[nodiscard]] double along(const LineWays& ways, int n) const {
    if (n == 1) return 0.0;
    if (!chunk_.relayed) return units_.message(ways, ways.farthest_ns, 0);
    return (n - 1) * (units_.message(ways, ways.next_ns, bytes(chunk_.own * chunk_.panel)) + 2 * own_load());
  }
  // The busiest link, for the columns of one cube.
  [[nodiscard]] double busy(const LineWays& ways, int n) const {
    const double of_pe = bytes(chunk_.rows * k()) / grid_.all();
    return of_pe * (chunk_.relayed ? ways.next_ns_per_byte * (n - 1) : ways.all_ns_per_byte);
  }
  [[nodiscard]] double next(const LineWays& ways, int n) const {
    return n == 1 ? 0.0 : units_.message(ways, ways.next_ns, 0);
  }

  // Until pe_cpu has dealt with all panels: those of the cube's row come first, then those of the others.
  [[nodiscard]] double in_order() const {
    const double row = along(site_.row, grid_.w);
    const double column = along(site_.column, grid_.h);
    const double of_row = of_panel() * chunk_.of_cube * grid_.w;
    const double rows = std::max(of_row, grid_.w == 1 ? 0.0 : row + of_panel());
    const double others = grid_.h == 1 ? 0.0 : std::max(of_row * (grid_.h - 1), column + of_panel());
    return own_load() + rows + others + to_cube();
  }

  // Until the last panel is in the buffer.
  [[nodiscard]] double arrived() const {
    const double latency = along(site_.row, grid_.w) + along(site_.column, grid_.h);
    const double busy_row = busy(site_.row, grid_.w);
    const double busy_column = busy(site_.column, grid_.h) * grid_.w;  // columns of the row's cubes
    const double links = next(site_.row, grid_.w) + next(site_.column, grid_.h) +
                         std::max(busy_column, busy_row + busy_column / grid_.w);
    const double all = bytes(chunk_.rows * k());
    const double inside = std::max(all / grid_.pes * site_.cube.all_ns_per_byte, all / site_.port_rate);
    return own_load() + std::max({latency, links, inside}) + to_cube();
  }

  const Product& product_;
  const PackageSite& site_;
  const llm::PeGrid& grid_;
  const ColumnsChunk& chunk_;
  UnitTimes units_;
};

}  // namespace

Time columns_time(const Product& product, std::int64_t rows, const PackageSite& site,
                  const ProductStep& step) {
  const ColumnsChunk chunk = columns_chunk(product, rows, site, step);
  const ColumnsTime time{product, site, chunk};
  const double weights = static_cast<double>(product.matrices() * product.k) * chunk.slab;
  const double of_chunk = time.products(weights / (step.keeps_weights ? step.chunks : 1));
  return from_ns(step.chunks * (of_chunk + time.to_rows() + time.residual()));
}

}  // namespace kbsim::inference
