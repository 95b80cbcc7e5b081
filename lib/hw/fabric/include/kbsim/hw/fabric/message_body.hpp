#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "kbsim/base/error.hpp"

namespace kbsim::hw {

/// Properties of a kind of body that the fabric uses. The body's type defines them as `kTraits`.
struct BodyTraits {
  std::string_view name;    // in errors: "write data"
  int order = 0;            // order of kinds that one node sends to another at one time; smaller first
  bool in_order = true;     // no message overtakes another of its source and target
  bool cut_through = true;  // a receiver that takes_heads() gets each packet at its head
};

/// A body of a message: plain data with kTraits. If it has a subject(), this distinguishes messages of one
/// kind, source, target and time: an address, or a number that its sender chose.
template <class Body>
concept IsMessageBody = requires {
  { Body::kTraits } -> std::convertible_to<BodyTraits>;
};

namespace detail {

/// How a MessageBody handles the body that it holds.
struct BodyKind {
  BodyTraits traits;
  const std::type_info* type = nullptr;
  std::size_t size = 0;
  std::uint64_t (*subject)(const void* body) = nullptr;       // none: 0
  void (*relocate)(void* to, void* from) noexcept = nullptr;  // none: its bytes are all of it
  void (*destroy)(void* body) noexcept = nullptr;             // none: nothing to do
};

template <class Body>
constexpr BodyKind body_kind() {
  BodyKind kind{.traits = Body::kTraits, .type = &typeid(Body), .size = sizeof(Body)};
  if constexpr (requires(const Body& body) { body.subject(); })
    kind.subject = [](const void* body) { return static_cast<const Body*>(body)->subject(); };
  if constexpr (!std::is_trivially_copyable_v<Body>) {
    kind.relocate = [](void* to, void* from) noexcept {
      ::new (to) Body(std::move(*static_cast<Body*>(from)));
      std::destroy_at(static_cast<Body*>(from));
    };
    kind.destroy = [](void* body) noexcept { std::destroy_at(static_cast<Body*>(body)); };
  }
  return kind;
}

template <class Body>
inline constexpr BodyKind kBodyKind = body_kind<Body>();
inline constexpr BodyKind kNoBody{.traits = {.name = "nothing", .in_order = false}, .type = &typeid(void)};

}  // namespace detail

/// A body of any kind, stored in place; the fabric never looks inside. Allocates nothing: a larger body holds
/// a pointer to its large part. Synthetic traffic has an empty body.
class MessageBody {
 public:
  static constexpr std::size_t kCapacity = 144;

  MessageBody() = default;
  template <IsMessageBody Body>
  MessageBody(Body body) : kind_{&detail::kBodyKind<Body>} {  // NOLINT(google-explicit-constructor)
    static_assert(sizeof(Body) <= kCapacity && alignof(Body) <= alignof(std::max_align_t));
    static_assert(std::is_nothrow_move_constructible_v<Body>);
    ::new (storage_) Body(std::move(body));
  }
  MessageBody(MessageBody&& other) noexcept { take(other); }
  MessageBody& operator=(MessageBody&& other) noexcept {
    if (this == &other) return *this;
    reset();
    take(other);
    return *this;
  }
  ~MessageBody() { reset(); }

  void reset() noexcept {
    if (kind_->destroy != nullptr) kind_->destroy(storage_);
    kind_ = &detail::kNoBody;
  }

  [[nodiscard]] const BodyTraits& traits() const { return kind_->traits; }
  [[nodiscard]] std::uint64_t subject() const {
    return kind_->subject == nullptr ? 0 : kind_->subject(storage_);
  }

  /// Also true for a body from a shared object that hides its symbols and so has its own BodyKind.
  template <class Body>
  [[nodiscard]] bool holds() const {
    if (kind_->traits.order != Body::kTraits.order) return false;
    return kind_ == &detail::kBodyKind<Body> || *kind_->type == typeid(Body);
  }
  /// The body if it is of this kind, else nullptr.
  template <class Body>
  [[nodiscard]] Body* get_if() {
    return holds<Body>() ? std::launder(reinterpret_cast<Body*>(storage_)) : nullptr;
  }
  template <class Body>
  [[nodiscard]] const Body* get_if() const {
    return holds<Body>() ? std::launder(reinterpret_cast<const Body*>(storage_)) : nullptr;
  }
  /// The body, which is of this kind.
  template <class Body>
  [[nodiscard]] const Body& get() const {
    ensure(holds<Body>(), "the body of a message is of another kind than its receiver takes");
    return *get_if<Body>();
  }

 private:
  void take(MessageBody& other) noexcept {
    kind_ = std::exchange(other.kind_, &detail::kNoBody);
    if (kind_->relocate != nullptr)
      kind_->relocate(storage_, other.storage_);
    else
      std::memcpy(storage_, other.storage_, kind_->size);
  }

  const detail::BodyKind* kind_ = &detail::kNoBody;
  alignas(std::max_align_t) std::byte storage_[kCapacity];
};

}  // namespace kbsim::hw
