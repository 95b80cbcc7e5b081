#include "kbsim/topology/traffic_matrix.hpp"

#include <charconv>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"

namespace kbsim::topology {
namespace {

constexpr std::string_view kBlank = " \t\r";
constexpr double kMost = 1e9;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Removes the text up to `separator`, and the separator, and returns the text.
std::string_view cut_off(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return first;
}

class MatrixReader {
 public:
  explicit MatrixReader(std::string source) { matrix_.source = std::move(source); }

  TrafficMatrix read(std::string_view text) && {
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    while (!text.empty()) {
      ++line_;
      const std::string_view line = cut_off(text, '\n');
      const std::string_view content = trimmed(line);
      if (!content.empty() && !content.starts_with('#')) add(line);
    }
    if (matrix_.rows.empty())
      throw UsageError{fmt::format("{}: no rows (expected a row of rates a source)", matrix_.source)};
    return std::move(matrix_);
  }

 private:
  void add(std::string_view line) {
    TrafficMatrix::Row row{.line = line_, .rates = {}};
    for (std::string_view rest = line;;) {
      const bool last = rest.find(',') == std::string_view::npos;
      row.rates.push_back(rate(line, cut_off(rest, ',')));
      if (last) break;
    }
    if (!matrix_.rows.empty() && row.rates.size() != matrix_.rows.front().rates.size()) {
      throw UsageError{fmt::format("{}:{}: {}, expected {} as in the first row", matrix_.source, line_,
                                   counted(row.rates.size(), "number"), matrix_.rows.front().rates.size())};
    }
    matrix_.rows.push_back(std::move(row));
  }

  [[nodiscard]] double rate(std::string_view line, std::string_view cell) const {
    const std::string_view text = trimmed(cell);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = !text.empty() && error == std::errc{} && end == text.data() + text.size();
    if (number && value >= 0.0 && value <= kMost) return value;
    const auto column = (text.empty() ? cell : text).data() - line.data() + 1;
    throw UsageError{fmt::format("{}:{}:{}: found '{}', expected a rate or a share from 0 to {:g}",
                                 matrix_.source, line_, column, text, kMost)};
  }

  TrafficMatrix matrix_;
  int line_ = 0;
};

}  // namespace

TrafficMatrix parse_traffic_matrix(std::string_view text, std::string source) {
  return MatrixReader{std::move(source)}.read(text);
}

}  // namespace kbsim::topology
