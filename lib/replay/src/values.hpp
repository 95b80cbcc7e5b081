#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kbsim/oplog/op.hpp"
#include "kbsim/replay/numbers.hpp"

namespace kbsim::replay {

/// The contents of a value, shared by all values that are whole copies of it.
using Value = std::shared_ptr<const Buffer>;

struct ValueHash {
  std::size_t operator()(const oplog::ValueId& id) const {
    return boost::hash<std::uint64_t>{}(std::uint64_t{id.lane} << 32 | id.seq);
  }
};
template <class T>
using ByValue = boost::unordered_flat_map<oplog::ValueId, T, ValueHash>;

/// Counts the bytes of the values that live; outlives them.
class Ledger {
 public:
  [[nodiscard]] Value adopt(Buffer buffer) {
    const auto bytes = static_cast<std::int64_t>(buffer.size());
    raise_peak(live_ += bytes);
    return {new Buffer(std::move(buffer)), [this, bytes](const Buffer* gone) {
              delete gone;
              live_ -= bytes;
            }};
  }
  [[nodiscard]] std::int64_t live() const { return live_; }
  [[nodiscard]] std::int64_t peak() const { return peak_; }

 private:
  void raise_peak(std::int64_t live) {
    std::int64_t peak = peak_;
    while (peak < live && !peak_.compare_exchange_weak(peak, live)) {}
  }
  std::atomic<std::int64_t> live_ = 0;
  std::atomic<std::int64_t> peak_ = 0;
};

}  // namespace kbsim::replay
