#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "kbsim/sim/moment.hpp"

namespace kbsim {

/// Moments by number, from 1 on. One stays while it is referred to: by causes, by moments that follow from
/// it, and by other holders of its number. The others leave room for new ones. Moments never move.
class Moments {
 public:
  Moments();
  Moments(const Moments&) = delete;
  Moments& operator=(const Moments&) = delete;
  ~Moments();

  [[nodiscard]] const Moment& operator[](std::uint32_t id) const { return place(id)->moment; }
  [[nodiscard]] Moment& operator[](std::uint32_t id) { return place(id)->moment; }

  /// Gives a moment a number, in place of an earlier one; 0: none. The number goes when the moment goes. If a
  /// run of equal moments becomes one, the last one's number stays.
  void mark(std::uint32_t id, std::uint32_t number) { place(id)->mark = number; }
  [[nodiscard]] std::uint32_t mark(std::uint32_t id) const { return place(id)->mark; }
  /// Numbers of moments: alive now, made so far, and alive at most.
  [[nodiscard]] std::size_t living() const { return size_ - 1 - free_; }
  [[nodiscard]] std::size_t made() const { return made_; }
  [[nodiscard]] std::size_t peak() const { return size_ - 1; }

  /// One more reference to a moment, or one less. Its ancestors go with it if nothing else descends from
  /// them.
  void retain(std::uint32_t id) { ++place(id)->references; }
  [[gnu::always_inline]] void release(std::uint32_t id) {
    if (--place(id)->references == 0) [[unlikely]]
      drop(id);
  }

  /// For Causes, which makes them. The next number, if it needs no check: there is room, and no number of a
  /// moment that is gone to use again.
  [[nodiscard]] bool has_room() const { return first_free_ == 0 && size_ < room_; }
  /// The same for several: they are consecutive, and their places beside each other.
  [[nodiscard]] bool has_room_for(std::size_t moments) const {
    return first_free_ == 0 && size_ + moments <= room_ && (size_ & (kChunk - 1)) + moments <= kChunk;
  }
  [[nodiscard]] std::uint32_t next() const { return static_cast<std::uint32_t>(size_); }
  /// Takes the next numbers.
  std::uint32_t append(std::size_t moments = 1) {
    const std::uint32_t first = next();
    made_ += moments;
    size_ += moments;
    return first;
  }
  /// Puts a moment at its number, with its references. Its parent and its other cause are retained already.
  void put(std::uint32_t id, std::uint32_t references, const Moment& moment) {
    new (place(id)) Record{.moment = moment, .references = references};
  }

  /// Numbers of moments that are gone, to be used again.
  [[nodiscard]] std::size_t free() const { return free_; }
  [[nodiscard]] std::uint32_t take_free();
  /// Memory for this number of moments is allocated, the unused number 0 included.
  [[nodiscard]] std::size_t allocated() const;
  void allocate_more();
  /// From this number on, has_room() is false.
  void set_room(std::size_t room) { room_ = room; }

  /// Forgets all causes that weren't last.
  void forget_others();
  /// Makes runs of equal moments into one each.
  void compress();

 private:
  struct Record {
    Moment moment;
    std::uint32_t references = 0;
    std::uint32_t mark = 0;
  };
  struct Chunks;  // memory of the records, which are made when they are used
  static constexpr std::uint32_t kChunkShift = 12;
  static constexpr std::uint32_t kChunk = 1U << kChunkShift;

  [[nodiscard]] Record* place(std::uint32_t id) const {
    return chunks_[id >> kChunkShift] + (id & (kChunk - 1));
  }
  void drop(std::uint32_t id);
  void set_free(std::uint32_t id);
  [[nodiscard]] bool same_run(const Record& child, const Record& parent) const;

  std::unique_ptr<Chunks> memory_;
  Record** chunks_ = nullptr;
  std::size_t size_ = 0;          // the first is unused
  std::size_t room_ = 0;          // below this size an allocation needs no check
  std::uint32_t first_free_ = 0;  // list of free records, linked by `parent`
  std::size_t free_ = 0;
  std::size_t made_ = 0;
};

}  // namespace kbsim
