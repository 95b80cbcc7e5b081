#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace kbsim::config {

/// Values of keys, each as "path.to.key=value"; of several for one key the last one wins. Written as
/// {"a.b=1", "c.d=2"}. A pair, {{"a.b", "1"}}, doesn't compile.
class Overrides {
 public:
  /// One text: unlike std::string, it isn't made of two pointers.
  struct Text {
    Text(const char* of) : text{of} {}             // NOLINT(google-explicit-constructor)
    Text(std::string of) : text{std::move(of)} {}  // NOLINT(google-explicit-constructor)
    std::string text;
  };

  Overrides() = default;
  Overrides(std::initializer_list<Text> all) {
    for (const Text& one : all) texts_.push_back(one.text);
  }
  Overrides(std::initializer_list<std::initializer_list<Text>> pairs) = delete;
  template <std::same_as<std::vector<std::string>> Texts>
  Overrides(Texts all) : texts_{std::move(all)} {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] auto begin() const { return texts_.begin(); }
  [[nodiscard]] auto end() const { return texts_.end(); }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] const std::string& operator[](std::size_t index) const { return texts_[index]; }
  [[nodiscard]] bool empty() const { return texts_.empty(); }
  void push_back(std::string text) { texts_.push_back(std::move(text)); }
  void append(const Overrides& more) { texts_.insert(texts_.end(), more.begin(), more.end()); }

  /// All but the one at that index.
  [[nodiscard]] Overrides without(std::size_t index) const {
    Overrides others = *this;
    others.texts_.erase(others.texts_.begin() + static_cast<std::ptrdiff_t>(index));
    return others;
  }

  friend bool operator==(const Overrides&, const Overrides&) = default;

 private:
  std::vector<std::string> texts_;
};

}  // namespace kbsim::config
