#pragma once

/// The version of kbsim's headers, on which a shared object and the command that loads it must agree. All
/// code that registers itself refers to this symbol, so an object built with other headers can't be loaded.
/// The name rises with the project's version.
#define KBSIM_ABI kbsim_abi_0_1_0

extern "C" {
extern const char KBSIM_ABI;
}
