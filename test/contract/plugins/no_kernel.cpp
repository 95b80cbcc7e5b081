// A shared object that has nothing to do with kbsim.
extern "C" int answer() { return 42; }
