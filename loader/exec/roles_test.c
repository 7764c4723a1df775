/* Every role through a registry, against the same computation written down here: both ABI generations, all scalar
 * types.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "loader/registry/deployment.h"

enum { N = 11, ROWS = 4, CELLS = 3, TABLE = 8 };

/* Inputs and outputs of every_role, and what it must leave. */
#define DEFINE_BUFFERS(type)                                                                             \
  typedef struct buffers_##type {                                                                        \
    type out[2 * N], position[3 * N], rotation[6 * N], mass[N], profile[TABLE], energy[N], state[2 * N]; \
    type gain[4 * N], rows[ROWS], gradient[2 * N], plane[CELLS];                                         \
    int64_t ticks[N];                                                                                    \
    bool done[N];                                                                                        \
  } buffers_##type;                                                                                      \
                                                                                                         \
  static buffers_##type fill_##type(void) {                                                              \
    buffers_##type b;                                                                                    \
    memset(&b, 0, sizeof b);                                                                             \
    for (int64_t i = 0; i < N; ++i) {                                                                    \
      for (int64_t c = 0; c < 3; ++c) b.position[c * N + i] = (type)(i + 1) / (type)(c + 2);             \
      for (int64_t c = 0; c < 6; ++c) b.rotation[c * N + i] = (type)(c - i) / 8;                         \
      for (int64_t c = 0; c < 2; ++c) b.out[c * N + i] = (type)(c + 1);                                  \
      b.mass[i] = (type)i / 3;                                                                           \
      b.ticks[i] = -i;                                                                                   \
      b.done[i] = i == 4;                                                                                \
    }                                                                                                    \
    for (int64_t i = 0; i < TABLE; ++i) b.profile[i] = (type)i / 7;                                      \
    for (int64_t i = 0; i < ROWS; ++i) b.rows[i] = (type)(i * i);                                        \
    return b;                                                                                            \
  }                                                                                                      \
                                                                                                         \
  static void compute_##type(buffers_##type* b, type rate, int64_t limit) {                              \
    for (int64_t i = 0; i < N; ++i) {                                                                    \
      if (b->done[i]) continue;                                                                          \
      for (int64_t r = 0; r < 2; ++r) {                                                                  \
        for (int64_t c = 0; c < 3; ++c)                                                                  \
          b->out[r * N + i] += b->rotation[(r * 3 + c) * N + i] * b->position[c * N + i];                \
      }                                                                                                  \
      b->energy[i] = b->mass[i] * rate + b->profile[i % TABLE];                                          \
      b->ticks[i] += limit;                                                                              \
      b->state[i] = N;                                                                                   \
      b->state[N + i] = N;                                                                               \
      for (int64_t g = 0; g < 4; ++g) b->gain[g * N + i] = 10 * g + b->rows[g];                          \
      b->gradient[2 * i] = -b->mass[i];                                                                  \
      b->plane[i % CELLS] += b->mass[i];                                                                 \
      b->done[i] = b->energy[i] > 4;                                                                     \
    }                                                                                                    \
  }

DEFINE_BUFFERS(double)
DEFINE_BUFFERS(float)

static rlk_deployment_t deployment;

static void setup(void) { rlk_deployment_create(&deployment); }
static void teardown(void) { rlk_deployment_destroy(&deployment); }

TestSuite(roles, .init = setup, .fini = teardown);

#define BIND(call, ...) \
  rlk_deployment_expect_ok(&deployment, call(deployment.registry, __VA_ARGS__, &deployment.err), #call)
#define SHAPE(rows, columns) \
  (rowlock_shape_t) { rows, columns }

/* Everything but what has a type of its own. `suffix` is empty or _f32. */
#define BIND_ALL(b, suffix)                                                                                        \
  do {                                                                                                             \
    BIND(rowlock_registry_bind_vector##suffix, "out", (b).out, N, 2);                                              \
    BIND(rowlock_registry_bind_vector##suffix, "position", (b).position, N, 3);                                    \
    BIND(rowlock_registry_bind_matrix##suffix, "rotation", (b).rotation, N, SHAPE(2, 3));                          \
    BIND(rowlock_registry_bind_handle##suffix, "mass", (b).mass, N);                                               \
    BIND(rowlock_registry_consolidate##suffix, "profile", (b).profile, TABLE);                                     \
    BIND(rowlock_registry_bind_handle##suffix, "energy", (b).energy, N);                                           \
    BIND(rowlock_registry_bind_int_handle, "ticks", (b).ticks, N);                                                 \
    BIND(rowlock_registry_bind_vector##suffix, "state", (b).state, N, 2);                                          \
    BIND(rowlock_registry_bind_matrix##suffix, "gain", (b).gain, N, SHAPE(2, 2));                                  \
    BIND(rowlock_registry_bind_mask, "done", (b).done, N);                                                         \
    BIND(rowlock_registry_bind_uniform_int, "limit", 5);                                                           \
    BIND(rowlock_registry_bind_wide##suffix, "rows", (b).rows, ROWS);                                              \
    BIND(rowlock_registry_bind_wide##suffix, "gradient", (b).gradient, sizeof(b).gradient / sizeof *(b).gradient); \
    BIND(rowlock_registry_bind_wide##suffix, "plane", (b).plane, CELLS);                                           \
  } while (false)

static void run(rowlock_structure_t structure) {
  const rowlock_run_options_t options = {.structure = structure, .sample_count = N};
  rowlock_run_report_t report;
  const rowlock_code_t code = rowlock_registry_run(deployment.registry, &options, &report, &deployment.err);
  rlk_deployment_expect_ok(&deployment, code, "run");
  cr_expect(eq(u64, report.plugin_count, 1));
  cr_expect(eq(u64, report.call_count, 1));
}

static void expect_double(const char* name, rowlock_structure_t structure) {
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, name), name);
  buffers_double due = fill_double(), got = fill_double();
  compute_double(&due, 1.25, 5);
  BIND_ALL(got, );
  BIND(rowlock_registry_bind_uniform, "rate", 1.25);
  run(structure);
  cr_expect(rlk_same_bytes(&due, &got, sizeof due), "%s under %s", name, rowlock_structure_name(structure));
}

Test(roles, reach_a_v1_body) { expect_double("every_role_v1", ROWLOCK_STRUCTURE_HOST_SERIAL); }
Test(roles, reach_a_v1_body_that_threads_itself) { expect_double("every_role_v1", ROWLOCK_STRUCTURE_HOST_TEAM); }
Test(roles, reach_a_v2_body) { expect_double("every_role", ROWLOCK_STRUCTURE_HOST_SERIAL); }
Test(roles, reach_a_v2_body_under_a_team) { expect_double("every_role", ROWLOCK_STRUCTURE_HOST_TEAM); }
Test(roles, reach_a_softdouble_body_as_float64) { expect_double("every_role_soft", ROWLOCK_STRUCTURE_HOST_SERIAL); }

Test(roles, reach_a_float32_body_through_the_typed_twins) {
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, "every_role_f32"), "every_role_f32");
  buffers_float due = fill_float(), got = fill_float();
  compute_float(&due, 1.25F, 5);
  BIND_ALL(got, _f32);
  BIND(rowlock_registry_bind_uniform_f32, "rate", 1.25F);
  run(ROWLOCK_STRUCTURE_HOST_SERIAL);
  cr_expect(rlk_same_bytes(&due, &got, sizeof due));
}
