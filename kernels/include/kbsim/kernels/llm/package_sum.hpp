#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/kernels/llm/pe_exchange.hpp"
#include "kbsim/kernels/llm/product.hpp"

namespace kbsim::llm {

/// Makes y of a product the sum over the packages that divide its layer, chunk by chunk of its rows, while
/// the PE computes the next chunk. A PE exchanges with the same PE of each other package: it sends them their
/// parts of its block, adds up its own part in f32 in the order of the packages, rounds the sum to y's dtype
/// and sends it to all. All packages make the same calls in the same order.
class PackageSum {
 public:
  PackageSum(TL& tl, const ProductArgs& args, PePlace at);

  /// This PE's rows of the next chunk lie in y: its parts are sent. The chunk before is a sum then.
  [[nodiscard]] Task<> add_chunk();
  /// A step of the last chunk's exchange: the own part is added up and sent, or all parts are stored. To be
  /// called in the middle of the next chunk's product, whose time hides the messages.
  [[nodiscard]] Task<> advance();
  /// All chunks of y are sums.
  [[nodiscard]] Task<> done();

 private:
  [[nodiscard]] Part elements_of(int chunk) const;
  [[nodiscard]] std::vector<Part> pieces_of(int chunk, int package) const;
  [[nodiscard]] Ptr at(Part piece) const { return y_ + piece.begin; }
  void send_parts(int chunk);
  [[nodiscard]] Task<> add_parts(int chunk);
  [[nodiscard]] Task<> store_sums(int chunk);
  [[nodiscard]] Task<Tile> sum_of(Part piece);

  TL& tl_;
  const ProductArgs& args_;
  PePlace at_;
  Ptr y_;
  int chunk_ = -1;  // the last one whose parts were sent
  enum class Step { none, add, store } next_ = Step::none;
  std::vector<Pending<void>> sends_;
};

}  // namespace kbsim::llm
