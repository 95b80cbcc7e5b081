// Embedding, choice of rows and head on all PEs of a package, from their definitions.
#include "kbsim/kernels/llm/vocabulary.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/replay/reference.hpp"

#include "mock_grid.hpp"

namespace kbsim::llm::test::vocabulary_test {
namespace {

Array indices(std::mt19937& random, std::int64_t n, std::int64_t below) {
  Numbers numbers;
  for (std::int64_t i = 0; i < n; ++i) numbers.push_back(static_cast<double>(between(random, 0, below - 1)));
  return {numbers, i32};
}

Numbers rows_of(const Numbers& table, const Numbers& indices, std::int64_t cols) {
  Numbers rows;
  for (const double index : indices) {
    const auto first = table.begin() + static_cast<std::int64_t>(index) * cols;
    rows.insert(rows.end(), first, first + cols);
  }
  return rows;
}

// [rows, cols], transposed.
Numbers transposed(const Numbers& x, std::int64_t rows, std::int64_t cols) {
  Numbers y;
  for (std::int64_t col = 0; col < cols; ++col) {
    for (std::int64_t row = 0; row < rows; ++row) y.push_back(x[static_cast<std::size_t>(row * cols + col)]);
  }
  return y;
}

// Logits as the PEs' slabs hold them, as one matrix.
Numbers joined(const PeGrid& grid, const Numbers& slabs, std::int64_t rows, std::int64_t words) {
  Numbers all(slabs.size());
  auto from = slabs.begin();
  for (int i = 0; i < grid.all(); ++i) {
    const Part own = part_of(part_of(words, i / grid.pes, grid.cubes()), i % grid.pes, grid.pes);
    for (std::int64_t row = 0; row < rows; ++row) {
      std::copy_n(from, own.size, all.begin() + row * words + own.begin);
      from += own.size;
    }
  }
  return all;
}

double first_of_largest(const Numbers& logits, std::int64_t row, std::int64_t words) {
  const auto first = logits.begin() + row * words;
  return static_cast<double>(std::max_element(first, first + words) - first);
}

}  // namespace

TEST_CASE(
    "embedding_rows: the rows that ids name, on random grids, whether cubes divide the columns or not") {
  std::mt19937 random{17};
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const std::int64_t m = between(random, 1, 80);
    const std::int64_t words = between(random, 1, 50);
    MockGrid on{random_grid(random)};
    const std::int64_t h =
        round % 2 == 0 ? on.grid().cubes() * between(random, 1, 6) : between(random, 1, 30);
    const Array table = normal(words * h, bf16, 1);
    const Array ids = indices(random, m, words);
    const EmbeddingRowsArgs args{.grid = on.grid(),
                                 .ids = on.vector(ids),
                                 .table = on.vector(table),
                                 .vocabulary = words,
                                 .y = on.room(m, h, bf16)};
    on.run("embedding_rows", args);
    CHECK(on.read(args.y) == rows_of(table.numbers, ids.numbers, h));
  }
}

TEST_CASE("embedding_rows: times a multiplier, plus rows of a table of positions, drawn or not") {
  std::mt19937 random{19};
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const std::int64_t m = between(random, 1, 80);
    const std::int64_t words = between(random, 1, 50);
    const std::int64_t position_rows = between(random, 1, 90);
    MockGrid on{random_grid(random)};
    const std::int64_t h = between(random, 1, 30);
    const Array table = normal(words * h, f32, 1);
    const Array positions = normal(position_rows * h, f32, 2);
    const Array ids = indices(random, m, words);
    std::vector<std::int64_t> places;  // runs of consecutive ones, and others
    for (std::int64_t row = 0; row < m; ++row) {
      const bool next = row > 0 && between(random, 0, 3) > 0 && places.back() + 1 < position_rows;
      places.push_back(next ? places.back() + 1 : between(random, 0, position_rows - 1));
    }
    const EmbeddingRowsArgs args{.grid = on.grid(),
                                 .ids = on.vector(ids),
                                 .table = on.vector(table),
                                 .vocabulary = words,
                                 .multiplier = round % 2 == 0 ? 2.5 : 1.0,
                                 .positions = on.blocks(positions, position_rows, h),
                                 .position_rows = position_rows,
                                 .places = &places,
                                 .y = on.room(m, h, f32),
                                 .drawn = words == 1 && round % 3 == 0};
    on.run("embedding_rows", args);
    Numbers expected = rows_of(table.numbers, ids.numbers, h);
    for (std::int64_t i = 0; i < m * h; ++i) {
      double& x = expected[static_cast<std::size_t>(i)];
      const std::int64_t place = places[static_cast<std::size_t>(i / h)];
      x = args.multiplier * x + positions.numbers[static_cast<std::size_t>(place * h + i % h)];
    }
    check_close(on.read(args.y), expected, 4 * rounding(f32), 8.0);
  }
}

TEST_CASE("embedding_rows: an id beyond the vocabulary is a fault") {
  MockGrid on{{.w = 2, .h = 1, .pes = 2}};
  const EmbeddingRowsArgs args{.grid = on.grid(),
                               .ids = on.vector({{1, 5, 2}, i32}),
                               .table = on.vector(normal(5 * 4, f32, 1)),
                               .vocabulary = 5,
                               .y = on.room(3, 4, f32)};
  CHECK_THROWS_WITH_AS(on.run("embedding_rows", args), doctest::Contains("index out of range"), Error);
}

TEST_CASE("embedding_rows: drawn rows are rows of the table, whatever the ids") {
  MockGrid on{{.w = 2, .h = 1, .pes = 2}};
  const Array table = normal(5 * 4, f32, 1);
  const EmbeddingRowsArgs args{.grid = on.grid(),
                               .ids = on.vector({{1, 5, 2}, i32}),
                               .table = on.vector(table),
                               .vocabulary = 5,
                               .y = on.room(3, 4, f32),
                               .drawn = true};
  on.run("embedding_rows", args);
  const Numbers y = on.read(args.y);
  for (std::int64_t row = 0; row < 3; ++row) {
    int matches = 0;
    for (std::int64_t word = 0; word < 5; ++word) {
      const auto first = y.begin() + row * 4;
      matches += std::equal(first, first + 4, table.numbers.begin() + word * 4) ? 1 : 0;
    }
    CHECK(matches == 1);
  }
}

TEST_CASE("take_rows: any rows in any order, on random grids") {
  std::mt19937 random{23};
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const std::int64_t m = between(random, 1, 40);
    const std::int64_t h = between(random, 1, 30);
    const std::int64_t count = between(random, 1, 20);
    MockGrid on{random_grid(random)};
    const Array x = normal(m * h, f32, 1);
    const Array rows = indices(random, count, m);
    TakeRowsArgs args{.grid = on.grid(), .x = on.activation(x, m, h), .y = on.room(count, h, f32)};
    std::ranges::copy(rows.numbers, args.rows.begin());
    on.run("take_rows", args);
    CHECK(on.read(args.y) == rows_of(x.numbers, rows.numbers, h));
  }
}

TEST_CASE(
    "head_rows: logits (x w^T + bias) * multiplier, and of each row the lowest word of the largest, on "
    "random grids") {
  std::mt19937 random{29};
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    PeGrid grid = random_grid(random);
    const std::int64_t m = between(random, 1, 6);
    grid.slot_bytes = std::max<std::int64_t>(grid.slot_bytes, 4 * m);
    const std::int64_t h = between(random, 1, 40);
    const std::int64_t words = round < 4 ? between(random, 1, 3) : between(random, 1, 400);
    MockGrid on{grid};
    const Array x = normal(m * h, bf16, 1);
    Array w = normal(words * h, bf16, 2);
    if (round % 2 == 0) {  // equal rows have equal logits
      for (std::int64_t i = 0; i < words / 2 * h; ++i)
        w.numbers[static_cast<std::size_t>(i + (words - words / 2) * h)] =
            w.numbers[static_cast<std::size_t>(i)];
    }
    Array bias = normal(words, bf16, 3);
    if (round % 2 == 0) std::ranges::fill(bias.numbers, 1.25);
    const bool has_bias = round % 4 >= 2;
    const double multiplier = round % 5 == 0 ? 0.0625 : 1.0;
    const HeadRowsArgs args{.grid = grid,
                            .x = on.activation(x, m, h),
                            .w = on.vector(w),
                            .vocabulary = words,
                            .bias = on.vector(bias),
                            .has_bias = has_bias,
                            .multiplier = multiplier,
                            .logits = on.empty(m * words, round % 3 == 0 ? bf16 : f32),
                            .stores_logits = true,
                            .tokens = on.empty(m, i32),
                            .largest = on.empty(m, round % 3 == 0 ? bf16 : f32),
                            .stores_largest = true,
                            .scratch = on.scratch(m * h, bf16)};
    on.run("head_rows", args);
    const Numbers logits = joined(grid, on.read(args.logits, m * words), m, words);
    Numbers reference =
        replay::matmul(x.numbers, transposed(w.numbers, words, h), {.m = m, .k = h, .n = words});
    for (std::size_t i = 0; i < reference.size(); ++i) {
      if (has_bias) reference[i] += bias.numbers[i % static_cast<std::size_t>(words)];
      reference[i] *= multiplier;
    }
    check_close(logits, reference, rounding(args.logits.dtype), std::sqrt(static_cast<double>(h)));
    const Numbers tokens = on.read(args.tokens, m);
    const Numbers largest = on.read(args.largest, m);
    for (std::int64_t row = 0; row < m; ++row) {
      const double token = first_of_largest(logits, row, words);
      CHECK(tokens[static_cast<std::size_t>(row)] == token);
      CHECK(largest[static_cast<std::size_t>(row)] ==
            logits[static_cast<std::size_t>(row * words + static_cast<std::int64_t>(token))]);
    }
  }
}

}  // namespace kbsim::llm::test::vocabulary_test
