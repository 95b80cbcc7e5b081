#pragma once

#include <cstddef>
#include <string>

namespace kbsim {

/// The name of a thing: its owner's name, which must outlive this, and its own name there. Text is made only
/// on request.
class BoxName {
 public:
  /// From a literal, or from another text that lives as long.
  template <std::size_t N>
  constexpr BoxName(const char (&name)[N])  // NOLINT(google-explicit-constructor)
      : what_{name} {}
  template <std::size_t N>
  BoxName(char (&buffer)[N]) = delete;                   // may be reused, and nothing is copied here
  BoxName(const std::string& owner) : owner_{&owner} {}  // NOLINT(google-explicit-constructor)
  BoxName(const std::string&& owner) = delete;
  template <std::size_t N>
  BoxName(const std::string& owner, const char (&what)[N]) : owner_{&owner}, what_{what} {}
  template <std::size_t N>
  BoxName(const std::string& owner, char (&buffer)[N]) = delete;
  template <std::size_t N>
  BoxName(const std::string&& owner, const char (&what)[N]) = delete;

  /// "sip0.cube1.pe2.pe_dma work"
  [[nodiscard]] std::string text() const {
    if (owner_ == nullptr) return what_;
    return *what_ == '\0' ? *owner_ : *owner_ + ' ' + what_;
  }

 private:
  const std::string* owner_ = nullptr;
  const char* what_ = "";
};

}  // namespace kbsim
