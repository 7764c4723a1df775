/* What the pieces of the double share. */
#ifndef ROWLOCK_LOADER_DEVICE_TESTDATA_DOUBLE_STATE_H
#define ROWLOCK_LOADER_DEVICE_TESTDATA_DOUBLE_STATE_H

#include "loader/device/testdata/driver_double.h"

#define EXPORT __attribute__((visibility("default")))

/* Declared from the table, so that a signature that differs from it does not compile. */
#define RLK_DRIVER(name, symbol, need, ...) EXPORT rlk_cu_result_t double_##name __VA_ARGS__ __asm__(symbol);
#include "loader/device/driver.def"
#undef RLK_DRIVER

extern rlk_double_t double_state;
enum { DOUBLE_HOST_OBJECTS = 4 };
extern void* double_host_objects[DOUBLE_HOST_OBJECTS];

/* Every call begins so: it is alone until it ends, is written down, and ends at once if it is to fail. */
int double_hold(void);
void double_let_go(const int* held);
rlk_cu_result_t double_begin(rlk_double_call_t call);

#define HOLD() __attribute__((cleanup(double_let_go))) const int held = double_hold()

#define BEGIN(name)                                              \
  HOLD();                                                        \
  const rlk_cu_result_t fault = double_begin(RLK_DOUBLE_##name); \
  if (fault) return fault

/* Of what gives back something that is not open. */
rlk_cu_result_t double_stray(void);

rlk_cu_context_t double_current_context(void);

/* Whether the bytes are all in one module's array. */
bool double_is_in_module(const char* data, size_t bytes);

/* What was launched into the last graph, and launching it. */
void double_forget_captured(void);
void double_replay(void);

#endif
