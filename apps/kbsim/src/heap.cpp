// The command's heap is jemalloc (docs/adr/0095), in pages of 2 MiB where the system has them: a large
// machine's components are visited once a few ns of simulated time, and their places in memory would be
// looked up each time. The environment's MALLOC_CONF is read after this.
extern "C" const char* malloc_conf;
const char* malloc_conf = "thp:always";
