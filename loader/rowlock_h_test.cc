// The public header as C++ sees it: alone, first, and linked to the library.
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "loader/rowlock.h"

static_assert(std::is_standard_layout<rowlock_gref_t>::value && std::is_trivial<rowlock_gref_t>::value,
              "a view is passed as its bytes");
static_assert(std::is_same<decltype(&rowlock_registry_destroy), void (*)(rowlock_registry_t*)>::value,
              "the functions are declared");

static bool expect(bool right, const char* what) {
  if (!right) std::fprintf(stderr, "not so: %s\n", what);
  return right;
}

int main() {
  rowlock_error_t err;
  rowlock_registry_t* registry;
  if (!expect(rowlock_registry_create(&registry, &err) == ROWLOCK_OK, "a registry is created")) return 1;
  const rowlock_code_t code = rowlock_registry_bind_uniform(registry, "mu", 1.0, &err);
  bool right = expect(code == ROWLOCK_REJECTED, "an unknown name is refused");
  right &= expect(err.rule_id && std::strcmp(err.rule_id, "bind.unknown-name") == 0, "by its rule");
  right &= expect(rowlock_structure_find("host_team") == ROWLOCK_STRUCTURE_HOST_TEAM, "a structure has its name");
  rowlock_run_options_t options = {};
  rowlock_run_report_t report;
  right &= expect(rowlock_registry_run(registry, &options, &report, &err) == ROWLOCK_OK, "an empty registry runs");
  right &= expect(report.plugin_count == 0, "nothing");
  rowlock_registry_destroy(registry);
  return right ? 0 : 1;
}
