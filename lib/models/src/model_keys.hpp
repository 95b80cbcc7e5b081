#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace kbsim::models {

/// One key, by the names that families have for it.
using KeyNames = std::vector<std::string_view>;

/// The keys of one config.json; for a model of several parts, those of its text part. A null key counts as
/// missing. UsageError with line, column, key, value and expectation for a value of another type.
class ModelKeys {
 public:
  explicit ModelKeys(const std::string& file);
  ModelKeys(const ModelKeys&) = delete;
  ModelKeys& operator=(const ModelKeys&) = delete;

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The name that the file uses for it; the first one if it uses none.
  [[nodiscard]] std::string_view called(const KeyNames& names) const;

  /// Keys with `part` in their name and a whole number or a list as their value.
  [[nodiscard]] std::vector<std::string_view> counts_with(std::string_view part) const;

  /// A whole number from 1 on. A missing key is `standard`; UsageError if that is 0. Unsupported for a list
  /// of different numbers: each layer has its own.
  [[nodiscard]] std::int64_t size(std::string_view key, std::int64_t standard = 0) const;
  /// UsageError if two of the names are there with different values.
  [[nodiscard]] std::int64_t size(const KeyNames& names, std::int64_t standard = 0) const;
  /// A whole number, or the largest of a list; 0 if the key is missing. -1, which means none, is allowed.
  [[nodiscard]] std::int64_t count(std::string_view key) const;
  /// The whole numbers of a list; none if the key is missing.
  [[nodiscard]] std::vector<std::int64_t> counts(std::string_view key) const;
  [[nodiscard]] double positive(std::string_view key) const;
  [[nodiscard]] bool truth(std::string_view key, bool standard = false) const;
  [[nodiscard]] std::string text(std::string_view key) const;
  /// The texts of a list.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  /// Texts anywhere in lists of lists, as [[["global", "local"], 12]].
  [[nodiscard]] std::vector<std::string> texts_within(std::string_view key) const;
  [[nodiscard]] bool is_list(std::string_view key) const { return has(key) && find(key)->is_array(); }
  /// Elements of a list, whatever they are.
  [[nodiscard]] std::size_t elements(std::string_view key) const;
  /// Whether a key that is an object has that key.
  [[nodiscard]] bool has_inner(std::string_view key, std::string_view inner) const;
  [[nodiscard]] std::vector<std::string_view> inner_keys(std::string_view key) const;
  [[nodiscard]] double positive(std::string_view key, std::string_view inner) const;
  [[nodiscard]] std::string text(std::string_view key, std::string_view inner) const;
  /// The meaning of a text, from a table. Unsupported for a text that isn't in it.
  template <class T, std::size_t N>
  [[nodiscard]] T one_of(std::string_view key, const std::array<std::pair<std::string_view, T>, N>& known,
                         T standard) const {
    if (!has(key)) return standard;
    const std::string found = text(key);
    std::string names;
    for (const auto& [name, meaning] : known) {
      if (found == name) return meaning;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    refuse_text(key, names);
  }

  /// All keys of the layers' part, and of the file; both are the same without a text part.
  [[nodiscard]] const boost::json::object& own() const { return *keys_; }
  [[nodiscard]] const boost::json::object& all() const { return all_; }
  /// UsageError if two of the names are there with different values.
  void require_one_value(const KeyNames& names) const;

  [[nodiscard]] const std::string& file() const { return file_; }
  /// "config.json:12:7" of that key's value.
  [[nodiscard]] std::string place(std::string_view key) const;
  [[nodiscard]] std::string place(std::string_view key, std::string_view inner) const;

 private:
  void take_text_part();
  [[nodiscard]] std::string remedy_for(std::string_view missing) const;
  [[nodiscard]] const boost::json::value* find(std::string_view key) const;
  [[nodiscard]] const boost::json::value* find(std::string_view key, std::string_view inner) const;
  [[nodiscard]] const boost::json::array& list(std::string_view key) const;
  [[nodiscard]] std::size_t offset(std::string_view key) const;
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;
  [[noreturn]] void refuse_text(std::string_view key, std::string_view known) const;
  [[noreturn]] void refuse(std::string_view key, std::size_t element, std::string_view expected) const;
  [[noreturn]] void refuse(std::string_view key, std::string_view inner, std::string_view expected) const;

  std::string file_;
  std::string text_;
  boost::json::object all_;
  const boost::json::object* keys_ = &all_;  // all_, or its text part
  std::size_t begin_ = 0;                    // of these keys' object in the text
};

}  // namespace kbsim::models
