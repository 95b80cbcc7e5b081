#include "kbsim/base/abi.hpp"

extern "C" {
const char KBSIM_ABI = 0;
}
