// A kernel and a mapper that are null pointers, and an evaluation that lacks its functions.
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

struct NoArgs {};

constexpr Task<> (*no_kernel)(TL&, NoArgs) = nullptr;
KBSIM_KERNEL(no_kernel, "isn't there");

constexpr std::vector<PeCoord> (*no_mapper)(const config::MachineSpec&) = nullptr;
KBSIM_MAPPER(no_mapper, "isn't there");

const bool kRegistered = (evaluate::evaluations().add("no_evaluation", {.doc = "isn't there"}), true);

}  // namespace
}  // namespace kbsim
