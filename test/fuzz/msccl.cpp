// Whatever the bytes, a plan's file is read or refused with its place. A plan that is read can be judged,
// written and read again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/inputs/msccl/xml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbsim;
  try {
    const std::string file{reinterpret_cast<const char*>(data), size};
    const ccl::Plan plan = inputs::parse_msccl({"fuzz.xml", file});
    (void)ccl::judge(plan, 1'000'000);
    if (!ccl::walk(plan, {.slots = ccl::least_slots(plan, true)}).empty()) std::abort();
    const ccl::Plan again = inputs::parse_msccl({"again.xml", inputs::to_msccl(plan)});
    if (!again.same_steps(plan)) std::abort();
  } catch (const inputs::InputError& error) {
    const std::string text = error.what();
    if (!text.starts_with("fuzz.xml:")) std::abort();
  } catch (const Unsupported&) {}
  return 0;
}
