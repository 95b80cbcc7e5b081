#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs {

/// One of the two groups of columns, or of the rows with `in_place`, in nccl-tests' output.
enum class Buffers { out_of_place, in_place };

/// A table of measured times: one row per size, words by column. Columns get these names, whatever the file
/// calls them: size (bytes), count, type, redop, root, time (us), algbw, busbw, wrong; and ranks, if the file
/// states their number. Other columns keep their names.
struct Measurements {
  std::string source;
  std::vector<std::string> columns;
  std::vector<std::map<std::string, std::string>> rows = {};
  std::vector<std::string> skipped = {};  // "run.log:12:1: why", of incomplete rows
  std::size_t wrong = 0;                  // rows among them whose results were wrong (#wrong)
  std::size_t empty = 0;                  // rows that move no bytes and so have no time
  bool of_either_buffers = false;         // the file states which times are in place
};

/// The log of nccl-tests or rccl-tests (by its header), CSV (a header, one row per line; commas, semicolons
/// or tabs between the cells, decimal commas unless commas separate) or JSON (an array of objects, or an
/// object with one, as nccl-tests and rccl-tests write). The text shows its format. InputError if it has none
/// of these, or no complete row.
[[nodiscard]] Measurements read_measurements(const Text& text, Buffers buffers = Buffers::out_of_place);

}  // namespace kbsim::inputs
