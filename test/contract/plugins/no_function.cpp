// A kernel and a mapper that are null pointers.
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

struct NoArgs {};

constexpr Task<> (*no_kernel)(TL&, NoArgs) = nullptr;
KBSIM_KERNEL(no_kernel, "isn't there");

constexpr std::vector<PeCoord> (*no_mapper)(const config::MachineSpec&) = nullptr;
KBSIM_MAPPER(no_mapper, "isn't there");

}  // namespace
}  // namespace kbsim
