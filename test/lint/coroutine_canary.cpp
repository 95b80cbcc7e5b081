// Ordinary coroutines that g++ 12 compiles into something else without a word. Stands alone, so that any
// compiler can be tried: prints one line a shape and exits with how many came out wrong. clang 19 miscompiles
// the first shape from -O1 on; rule 11 of CONTRIBUTING covers it, and it isn't counted.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

std::coroutine_handle<> waiting;  // the one coroutine that is suspended

struct Later {  // an awaitable that is done when main() says so
  bool value;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) const noexcept { waiting = h; }
  bool await_resume() const noexcept { return value; }
};
Later yes() { return {true}; }

int reached = 0;
Task await_in_if() {
  if (co_await yes()) ++reached;
}
Task await_in_and() {
  if (reached >= 0 && co_await yes()) ++reached;
}
Task await_in_switch() {
  switch (co_await yes()) {
    case true: ++reached; break;
    case false: break;
  }
}
Task await_in_while() {
  while (co_await yes()) {
    if (++reached == 1) break;
  }
}

int alive = 0;
struct Counted {  // objects made minus objects destroyed
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  ~Counted() { --alive; }
};
struct Arguments {
  Counted counted;
  int number = 0;
};
Later consume(Arguments) { return {true}; }
Task await_with_aggregate() { co_await consume(Arguments{Counted{}, 1}); }
Task await_with_braces() { co_await consume({Counted{}, 1}); }

template <class F>
Later call(F f) {
  return {f() == 1};
}
Task await_with_capture() {
  const Counted counted;
  co_await call([counted] { return 1; });
}

// A result found by addresses among a few values, and one found by value, each kept across an await.
[[gnu::noinline]] const int* find(const int* begin, const int* end, int x) {
  while (begin != end && *begin != x) ++begin;
  return begin;
}
inline bool is_any_by_address(int x, std::initializer_list<int> of) {
  return find(of.begin(), of.end(), x) != of.end();
}
inline bool is_any_by_value(int x, std::initializer_list<int> of) {
  bool any = false;
  for (const int one : of) any |= one == x;
  return any;
}
volatile int seven = 7;
Task await_with_found_by_address() {
  const bool any = is_any_by_address(seven, {1, 2, 3});
  co_await yes();
  if (!any) ++reached;
}
Task await_with_found_by_value() {
  const bool any = is_any_by_value(seven, {1, 2, 3});
  co_await yes();
  if (!any) ++reached;
}

bool runs_right(Task (*coroutine)(), int times) {
  const pid_t child = fork();  // a miscompiled shape may crash
  if (child == 0) {
    coroutine();
    while (waiting) std::exchange(waiting, {}).resume();
    _exit(reached == times && alive == 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

int wrong(const char* shape, Task (*coroutine)(), int times) {
  const bool right = runs_right(coroutine, times);
  std::printf("%-5s  %s\n", right ? "right" : "WRONG", shape);
  std::fflush(stdout);
  return right ? 0 : 1;
}

}  // namespace

int main() {
  wrong("found by address, kept", await_with_found_by_address, 1);
  return wrong("if (co_await x)", await_in_if, 1) + wrong("if (a && co_await x)", await_in_and, 1) +
         wrong("switch (co_await x)", await_in_switch, 1) + wrong("while (co_await x)", await_in_while, 1) +
         wrong("co_await f(Agg{…})", await_with_aggregate, 0) +
         wrong("co_await f({…})", await_with_braces, 0) + wrong("co_await f([c]{…})", await_with_capture, 0) +
         wrong("found by value, kept", await_with_found_by_value, 1);
}
