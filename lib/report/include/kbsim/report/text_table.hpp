#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kbsim::report {

/// Columns of a table on a terminal: those that fit 80 columns, or all.
enum class Columns { usual, all };

/// A table for people: a head, in bold where there are colours, and rows, each indented by two blanks. A
/// column is as wide as its widest cell; numbers stand right, texts left.
class TextTable {
 public:
  struct Column {
    std::string title;
    std::string unit = {};  // in a second line of the head
    bool is_text = false;
    bool is_wide = false;  // shown with Columns::all alone
    std::size_t most = 0;  // of the first column: a longer cell has a line of its own; 0: none is too long
  };

  TextTable(std::vector<Column> columns, Columns shown) : columns_{std::move(columns)}, shown_{shown} {}

  /// Adds a row, a cell per column. A fault of the row stands after its last cell, as "WRONG"; its notes are
  /// whole lines after it.
  void add(std::vector<std::string> cells, std::string fault = {}, std::string notes = {});

  [[nodiscard]] std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string fault;
    std::string notes;
  };
  [[nodiscard]] bool is_too_long(const Row& row) const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells) const;
  [[nodiscard]] std::size_t width(std::size_t column) const;

  std::vector<Column> columns_;
  Columns shown_;
  std::vector<Row> rows_;
};

}  // namespace kbsim::report
