// Needs a symbol that no library has.
extern "C" int is_missing_here();
extern "C" int answer() { return is_missing_here(); }
