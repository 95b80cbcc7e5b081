#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/kernels/attention.hpp"

#include "both.hpp"

namespace kbsim::test {

inline const std::vector<std::string> kAttentionMeshKernels{"attention_mesh_kv", "attention_mesh_mlo"};

/// Attention over a line of ranks, with its parameters. The functions that run it fill in the pointers of
/// `args`.
struct AttentionMesh {
  std::string kernel;
  AttentionMeshArgs args;
  DType dtype = f32;
  int slots = 4;
  unsigned seed = 1;

  [[nodiscard]] bool decodes() const { return kernel == "attention_mesh_mlo"; }
  /// Parts of Q: one that all ranks see, or one each.
  [[nodiscard]] int parts_of_q() const { return decodes() ? 1 : args.ranks; }
  [[nodiscard]] std::int64_t elements_of_q() const { return args.h_q * args.s_q * args.d; }
  [[nodiscard]] std::int64_t elements_of_kv() const { return args.h_kv * args.s_kv * args.d; }
  [[nodiscard]] Array q() const { return normal(parts_of_q() * elements_of_q(), dtype, seed); }
  [[nodiscard]] Array k() const { return normal(args.ranks * elements_of_kv(), dtype, seed + 1); }
  [[nodiscard]] Array v() const { return normal(args.ranks * elements_of_kv(), dtype, seed + 2); }
};
[[nodiscard]] AttentionMesh attention_mesh(const std::string& kernel, const AttentionMeshArgs& args);

/// A cube of 8 PEs, or a package of 4 x 2 cubes of two PEs: in both more PEs than ranks are.
[[nodiscard]] config::MachineSpec machine_of(const AttentionMesh& mesh);
/// The queues of a line along the rank axis.
[[nodiscard]] config::AlgorithmSpec line_of(const AttentionMesh& mesh);

/// O, rank after rank: by plain attention over all keys in f64, and in the mock.
[[nodiscard]] Numbers expected(const AttentionMesh& mesh);
[[nodiscard]] Numbers in_mock(const AttentionMesh& mesh);
void check_right(const AttentionMesh& mesh, double tolerance = 2e-6);

}  // namespace kbsim::test
