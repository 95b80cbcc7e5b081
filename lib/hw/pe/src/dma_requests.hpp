#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/transfer.hpp"

namespace kbsim::hw {

/// The requests of a DMA that aren't answered yet, by their tokens: a hash table of records that stay where
/// they are. Allocates nothing in steady state.
class DmaRequests {
 public:
  struct Request {
    TransferPtr transfer;
    std::int64_t offset = 0;
    Bytes window;                 // what it takes of it
    oplog::Slices contents = {};  // of its answer, once they are known
  };

  /// `token` isn't 0, and no other's.
  void add(Token token, Request request) {
    if (2 * ++count_ > places_.size()) grow();
    if (free_.empty()) free_.push_back(&records_.emplace_back());
    Request* const record = free_.back();
    free_.pop_back();
    *record = std::move(request);
    place(token, record);
  }
  /// InternalError if there is none.
  [[nodiscard]] Request& at(Token token) { return *places_[find(token)].record; }
  void erase(Token token) {
    std::size_t hole = find(token);
    Request* const record = places_[hole].record;
    *record = {};
    free_.push_back(record);
    --count_;
    // What was moved on by the one that goes comes closer to its own place.
    for (std::size_t i = next(hole); places_[i].token != 0; i = next(i)) {
      if (distance(places_[i].token, i) < distance(places_[i].token, hole)) continue;
      places_[hole] = places_[i];
      hole = i;
    }
    places_[hole] = {};
  }

 private:
  struct Place {
    Token token = 0;  // none: free
    Request* record = nullptr;
  };
  [[nodiscard]] std::size_t mask() const { return places_.size() - 1; }
  [[nodiscard]] std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  // Consecutive tokens lie apart: else all of them would have to be looked at where one is erased.
  [[nodiscard]] std::size_t home(Token token) const {
    return static_cast<std::size_t>((token * 0x9E37'79B9'7F4A'7C15) >> 32) & mask();
  }
  [[nodiscard]] std::size_t distance(Token token, std::size_t from) const {
    return (from - home(token)) & mask();
  }
  [[nodiscard]] std::size_t find(Token token) const {
    std::size_t i = home(token);
    while (places_[i].token != token) {
      ensure(places_[i].token != 0, "a DMA got an answer to nothing");
      i = next(i);
    }
    return i;
  }
  void place(Token token, Request* record) {
    std::size_t i = home(token);
    while (places_[i].token != 0) i = next(i);
    places_[i] = {.token = token, .record = record};
  }
  void grow() {
    const std::vector<Place> before = std::move(places_);
    places_.assign(2 * before.size(), {});
    for (const Place& old : before) {
      if (old.token != 0) place(old.token, old.record);
    }
  }

  std::size_t count_ = 0;
  std::vector<Place> places_ = std::vector<Place>(16);  // a power of two, never more than half of them taken
  std::deque<Request> records_;
  std::vector<Request*> free_;
};

}  // namespace kbsim::hw
