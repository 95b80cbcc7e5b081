// A kernel whose range has a name that isn't UTF-8 and ends elements and cells where it isn't escaped.
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

constexpr const char* kOddName = "caf\xe9 \"a,b\" </script>";

Task<> odd_names(TL& tl, CollectiveArgs args) {
  const auto range = tl.range(LastingName{std::string{kOddName}});
  const Tile x = co_await tl.load(args.data + tl.program_id(1) * args.n_elem, {args.n_elem}, args.data.dtype);
  co_await tl.store(args.data + tl.program_id(1) * args.n_elem, x);
}
KBSIM_KERNEL(odd_names, "names a range in Latin-1");

}  // namespace
}  // namespace kbsim
