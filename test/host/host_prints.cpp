// Lines that kernels of a host program print on stderr.
#include <cstdio>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "kbsim/host/host_program.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

namespace kbsim::host::test::host_prints_test {
namespace {

struct PrintedArgs {
  std::int64_t first = 0;
};
Task<> prints_numbers(TL& tl, PrintedArgs args) {
  tl.print("numbers", tl.arange(args.first, args.first + 2));
  co_return;
}
KBSIM_KERNEL(prints_numbers, "prints two numbers");

Task<> launches(Rank& main, std::int64_t first) {
  const Tensor x = co_await main.torch.zeros({4}, f32, {.dp = kOnePe, .resident = true});
  co_await main.launch("prints_numbers", x, PrintedArgs{first});
}

// The text that goes to stderr while this lives.
class Stderr {
 public:
  Stderr() : file_{std::tmpfile()}, before_{dup(STDERR_FILENO)} {
    (void)std::fflush(stderr);
    (void)dup2(fileno(file_), STDERR_FILENO);
  }
  Stderr(const Stderr&) = delete;
  Stderr& operator=(const Stderr&) = delete;
  ~Stderr() {
    (void)dup2(before_, STDERR_FILENO);
    (void)close(before_);
    (void)std::fclose(file_);
  }
  [[nodiscard]] std::string text() const {
    std::string all(static_cast<std::size_t>(lseek(fileno(file_), 0, SEEK_END)), '\0');
    (void)!pread(fileno(file_), all.data(), all.size(), 0);
    return all;
  }

 private:
  std::FILE* file_;
  int before_;
};

}  // namespace

TEST_CASE("HostProgram: kernels' prints of each run, once") {
  HostProgram program{machine()};
  for (const std::int64_t first : {1, 5}) {
    std::string text;
    {
      const Stderr watched;
      program.run(launches, first);
      text = watched.text();
    }
    CHECK(text.find("numbers i32 [2]: " + std::to_string(first) + " " + std::to_string(first + 1)) !=
          std::string::npos);
    CHECK(text.find("numbers") == text.rfind("numbers"));
  }
}

}  // namespace kbsim::host::test::host_prints_test
