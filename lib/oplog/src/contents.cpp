#include "kbsim/oplog/contents.hpp"

#include <algorithm>

namespace kbsim::oplog {
namespace {

class Kept : public IContents {
 public:
  explicit Kept(KeptBytes bytes) : bytes_{std::move(bytes)} {}
  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(bytes_->size()); }
  void read(std::int64_t first, std::span<std::byte> to) const override {
    std::ranges::copy(std::span{*bytes_}.subspan(static_cast<std::size_t>(first), to.size()), to.begin());
  }
  [[nodiscard]] KeptBytes kept() const override { return bytes_; }

 private:
  KeptBytes bytes_;
};

}  // namespace

Contents::Contents(KeptBytes kept) {
  if (kept != nullptr) bytes_ = std::make_shared<const Kept>(std::move(kept));
}

KeptBytes Contents::all() const {
  if (KeptBytes bytes = kept()) return bytes;
  std::vector<std::byte> made(static_cast<std::size_t>(size()));
  read(0, made);
  return std::make_shared<const std::vector<std::byte>>(std::move(made));
}

}  // namespace kbsim::oplog
