#pragma once

// SoftmaxArgs, LayerNormArgs and RmsNormArgs: the host's operators launch these kernels, too.
#include "kbsim/tl/operator_args.hpp"  // IWYU pragma: export
