#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <new>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace kbsim {

/// A small value that names a process, or the thing that a wait is for. Its type is the owner's:
/// `struct BarrierWait { std::uint32_t number; ... }`, with its order and its text.
template <class T>
concept Identifies =
    std::is_trivially_copyable_v<T> && sizeof(T) <= 32 && alignof(T) <= 8 && requires(const T& id) {
      { id.text() } -> std::convertible_to<std::string>;
    } && std::three_way_comparable<T, std::weak_ordering>;

/// Any such value, or none. Code that knows its type reads it; its text is made when it is printed.
class Identity {
 public:
  Identity() = default;
  template <class T>
    requires(!std::same_as<T, Identity> && Identifies<T>)
  Identity(const T& id) : kind_{&kKind<T>} {  // NOLINT(google-explicit-constructor)
    ::new (bytes_.data()) T{id};
  }

  [[nodiscard]] explicit operator bool() const { return kind_ != nullptr; }
  /// The value, if it is of that type.
  template <Identifies T>
  [[nodiscard]] const T* as() const {
    const bool is = kind_ != nullptr && *kind_->type == typeid(T);
    return is ? std::launder(reinterpret_cast<const T*>(bytes_.data())) : nullptr;
  }
  [[nodiscard]] std::string text() const { return kind_ != nullptr ? kind_->text(*this) : ""; }

  /// By type, then by value; none is the least.
  friend std::weak_ordering operator<=>(const Identity& a, const Identity& b) {
    if (a.kind_ == nullptr || b.kind_ == nullptr) return (a.kind_ != nullptr) <=> (b.kind_ != nullptr);
    if (*a.kind_->type == *b.kind_->type) return a.kind_->order(a, b);
    return a.kind_->type->before(*b.kind_->type) ? std::weak_ordering::less : std::weak_ordering::greater;
  }
  friend bool operator==(const Identity& a, const Identity& b) { return (a <=> b) == 0; }

 private:
  struct Kind {
    const std::type_info* type;
    std::string (*text)(const Identity& id);
    std::weak_ordering (*order)(const Identity& a, const Identity& b);
  };
  template <class T>
  static std::string text_of(const Identity& id) {
    return id.as<T>()->text();
  }
  template <class T>
  static std::weak_ordering order_of(const Identity& a, const Identity& b) {
    return *a.as<T>() <=> *b.as<T>();
  }
  template <class T>
  static constexpr Kind kKind{.type = &typeid(T), .text = &text_of<T>, .order = &order_of<T>};

  const Kind* kind_ = nullptr;
  alignas(8) std::array<std::byte, 32> bytes_;
};

}  // namespace kbsim
