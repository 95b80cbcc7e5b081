#pragma once

/// Names what a shared object and the command that loads it must agree on: kbsim's headers. Whatever
/// registers itself refers to this symbol, so that one built with other headers can't be loaded at all.
/// The name rises with the project's version.
#define KBSIM_ABI kbsim_abi_0_1_0

extern "C" {
extern const char KBSIM_ABI;
}
