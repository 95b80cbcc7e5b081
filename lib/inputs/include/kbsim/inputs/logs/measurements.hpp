#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs {

/// Which of the two groups of columns, or of the rows with `in_place`, that nccl-tests write.
enum class Buffers { out_of_place, in_place };

/// Times that somebody measured: a row a size, of words by column. Whatever the file calls them, columns are
/// called size (bytes), count, type, redop, root, time (us), algbw, busbw, wrong; ranks, where the file says
/// on how many it was measured; others keep their names.
struct Measurements {
  std::string source;
  std::vector<std::string> columns;
  std::vector<std::map<std::string, std::string>> rows = {};
  std::vector<std::string> skipped = {};  // "run.log:12:1: why", of rows that aren't whole
  std::size_t wrong = 0;                  // rows among them whose results were wrong (#wrong)
  std::size_t empty = 0;                  // rows that move no bytes, which no time is of
  bool of_either_buffers = false;         // it says which times are in place and which aren't
};

/// The log of nccl-tests or rccl-tests (by its header), CSV (a header, a row a line, commas, semicolons or
/// tabs between the cells; between others than commas numbers may have a decimal comma) or JSON (an array of
/// objects, or an object that has one, as nccl-tests and rccl-tests write): what it is, the text says.
/// InputError for what is none of them, or hasn't a single whole row.
[[nodiscard]] Measurements read_measurements(const Text& text, Buffers buffers = Buffers::out_of_place);

}  // namespace kbsim::inputs
