#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <boost/container/stable_vector.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/transfer.hpp"

namespace kbsim::hw {

/// The requests of a DMA that aren't answered yet. A token is the place of its request; it is used again once
/// the request is answered. Allocates nothing in steady state.
class DmaRequests {
 public:
  struct Request {
    TransferPtr transfer;
    std::int64_t offset = 0;
    Bytes window;                 // bytes that it takes of the DMA's window
    oplog::Slices contents = {};  // of its answer, once they are known
    Time reserved = kForever;     // when its answer reaches the DMA, once known
  };

  [[nodiscard]] bool empty() const { return free_.size() == records_.size(); }
  /// By token; entries without a transfer are free.
  [[nodiscard]] const boost::container::stable_vector<Request>& records() const { return records_; }
  /// The token of the request that is added next.
  [[nodiscard]] Token next() const {
    return free_.empty() ? static_cast<Token>(records_.size()) : free_.back();
  }
  void add(Request request) {
    if (free_.empty()) {
      records_.push_back(std::move(request));
    } else {
      records_[free_.back()] = std::move(request);
      free_.pop_back();
    }
  }
  /// InternalError if there is none.
  [[nodiscard]] Request& at(Token token) {
    ensure(token < records_.size() && records_[token].transfer != nullptr, "a DMA got an answer to nothing");
    return records_[token];
  }
  void erase(Token token) {
    records_[token] = {};
    free_.push_back(token);
  }

 private:
  boost::container::stable_vector<Request> records_;  // addresses stay valid
  std::vector<Token> free_;
};

}  // namespace kbsim::hw
