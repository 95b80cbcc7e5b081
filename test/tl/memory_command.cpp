#include <doctest/doctest.h>

#include "kbsim/tl/memory_ops.hpp"

#include "fake_pe.hpp"

namespace kbsim::test::memory_command_test {
namespace {

struct PokeCommand {
  static constexpr std::string_view kName = "poke";
  int value = 0;
  std::source_location at;
};

struct PeekCommand {
  static constexpr std::string_view kName = "peek";
  std::source_location at;
};

// A backend with one word.
struct Word {
  int value = 0;
};

PendingPtr poke(Word& pe, const PokeCommand& command) {
  pe.value = command.value;
  return nullptr;
}

PendingPtr poke_twice(Word& pe, const PokeCommand& command) {
  pe.value = 2 * command.value;
  return nullptr;
}

}  // namespace

TEST_CASE("MemoryCommand: knows its kind and its line, and nothing of others") {
  const PokeCommand poke{.value = 3, .at = std::source_location::current()};
  const MemoryCommand command{poke};
  CHECK(command.kind().name == "poke");
  CHECK(command.at().line() == poke.at.line());
  CHECK(command.get_if<PokeCommand>() == &poke);
  CHECK(command.get_if<PeekCommand>() == nullptr);
}

TEST_CASE("MemoryOps: each kind has its function, the first that was added") {
  MemoryOps<Word> ops{"word's operation"};
  CHECK(ops.add<PokeCommand, poke>(KBSIM_ABI));
  CHECK(ops.add<PokeCommand, poke_twice>(KBSIM_ABI));
  CHECK(ops.size() == 1);
  CHECK(ops.has("poke"));
  CHECK(!ops.has("peek"));
  CHECK(ops.take_conflicts() == std::vector<std::string>{"poke"});
  Word word;
  (void)ops.issue(word, PokeCommand{.value = 3, .at = {}});
  CHECK(word.value == 3);
}

TEST_CASE("MemoryOps: a kind that a backend doesn't have is reported by its name and the kernel's line") {
  MemoryOps<Word> ops{"word's operation"};
  (void)ops.add<PokeCommand, poke>(KBSIM_ABI);
  Word word;
  const PeekCommand peek{.at = std::source_location::current()};
  const std::string expected = here(static_cast<int>(peek.at.line()), "this backend has no peek");
  CHECK_THROWS_WITH_AS((void)ops.issue(word, peek), expected.c_str(), Unsupported);
}

}  // namespace kbsim::test::memory_command_test
