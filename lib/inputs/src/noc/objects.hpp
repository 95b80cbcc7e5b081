#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "kbsim/base/error.hpp"

namespace kbsim::inputs {

/// Splits a JSON array of objects into the texts of its objects, reading the file piece by piece. An object
/// has at most kLargest bytes.
class NocObjects {
 public:
  static constexpr std::size_t kLargest = std::size_t{64} << 10;

  explicit NocObjects(const std::filesystem::path& file);

  /// InputError unless the file begins with '[', and nothing follows its ']'.
  void open_array();
  void close_array();
  /// Reads the next object of the array; its text is valid until the next call. False at the ']', or at
  /// `end`.
  bool next(std::uint64_t end = std::numeric_limits<std::uint64_t>::max());
  void seek(std::uint64_t offset);

  [[nodiscard]] const std::string& bytes() const { return text_; }
  [[nodiscard]] std::uint64_t begin() const { return begin_; }  // of the object
  [[nodiscard]] std::uint64_t end() const { return at_; }
  /// The place of byte `in` of the object.
  [[nodiscard]] Place place(std::size_t in = 0) const;

 private:
  [[nodiscard]] int peek();
  int take();
  int skip_blanks();
  void skip_byte_order_mark();
  void read_object();
  [[nodiscard]] Place here() const;

  std::string name_;
  std::ifstream in_;
  std::vector<char> piece_;
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t line_begin_ = 0;
  int line_ = 1;
  std::string text_;
  std::uint64_t begin_ = 0;
  Place begin_place_;
  bool first_ = true;
};

}  // namespace kbsim::inputs
