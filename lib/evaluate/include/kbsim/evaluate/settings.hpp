#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/uses.hpp"

namespace kbsim::evaluate {

/// The user's choices. Empty texts weren't given.
struct Chosen {
  std::vector<std::string> set;
  std::string ccl;
  std::string algorithm;
  std::optional<config::BufferKind> buffer_kind;
};

/// ConfigError with each setting that would have no effect, and why: a key that the bench replaces, an
/// algorithm that isn't run, a default that the algorithm has a value of its own for.
void require_effect(const Uses& uses, const Chosen& chosen, const config::Configuration& configuration);

/// The same, then applies the choices: the algorithm that runs becomes the default one, and all have their
/// slots there. The algorithms of a program of one collective that runs several stay as they are.
void choose(const Uses& uses, const Chosen& chosen, config::Configuration& configuration);

}  // namespace kbsim::evaluate
