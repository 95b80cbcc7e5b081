// Whatever the bytes, a plan of MSCCL++ is read or refused with its place; a plan that is read ends, and is
// judged.
#include "kbsim/inputs/msccl/mscclpp.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plan_walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbsim;
  try {
    const std::string file{reinterpret_cast<const char*>(data), size};
    const ccl::Plan plan = inputs::parse_mscclpp({"fuzz.json", file});
    (void)ccl::judge(plan, 1'000'000);
    if (!ccl::walk(plan, {.slots = ccl::least_slots(plan, true)}).empty()) std::abort();
  } catch (const inputs::InputError& error) {
    const std::string text = error.what();
    if (!text.starts_with("fuzz.json:")) std::abort();
  } catch (const Unsupported&) {}
  return 0;
}
