// Symbols that the headers of kbsim 0.0.9 would leave in an object file.
#include <cstdlib>

extern "C" const char kbsim_abi_0_0_9;

namespace {

const char* volatile headers = &kbsim_abi_0_0_9;

// No code of it may run: all layouts may differ.
const struct Runs {
  Runs() {
    if (headers != nullptr) std::abort();
  }
} kRuns;

}  // namespace
