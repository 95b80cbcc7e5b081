// Needs a symbol that no library has.
extern "C" int nobody_has_this();
extern "C" int answer() { return nobody_has_this(); }
