#include "harness/launch/replay.h"

#include "harness/launch/device_error.h"
#include "loader/device/device.h"

typedef struct replay_t {
  const rlk_driver_t* driver;
  rowlock_registry_t* registry;
  const char* when;
  rowlock_error_t* err;
  rlk_cu_stream_t stream;
  rlk_cu_graph_t graph;
  rlk_cu_graph_exec_t exec;
} replay_t;

static rowlock_code_t check(const replay_t* replay, const char* call, rlk_cu_result_t result) {
  if (!result) return ROWLOCK_OK;
  rowlock_error_t problem;
  const rowlock_code_t code = rlk_driver_fail(replay->driver, call, result, &problem);
  return rlk_judge_device_error(replay->registry, replay->when, code, &problem, replay->err);
}

static rowlock_code_t capture(replay_t* replay, const rowlock_run_options_t* options) {
  const rlk_driver_t* driver = replay->driver;
  rowlock_code_t code =
      check(replay, "cuStreamBeginCapture", driver->stream_begin_capture(replay->stream, RLK_CU_CAPTURE_THREAD_LOCAL));
  if (code) return code;
  rowlock_run_options_t on_stream = *options;
  on_stream.stream = replay->stream;
  code = rowlock_registry_run(replay->registry, &on_stream, NULL, replay->err);
  /* The capture is ended in any case. */
  const rlk_cu_result_t ended = driver->stream_end_capture(replay->stream, &replay->graph);
  return code ? code : check(replay, "cuStreamEndCapture", ended);
}

static rowlock_code_t run_graph(replay_t* replay) {
  const rlk_driver_t* driver = replay->driver;
  rowlock_code_t code = check(replay, "cuGraphInstantiate", driver->graph_instantiate(&replay->exec, replay->graph, 0));
  if (!code) code = check(replay, "cuGraphLaunch", driver->graph_launch(replay->exec, replay->stream));
  return code ? code : check(replay, "cuStreamSynchronize", driver->stream_synchronize(replay->stream));
}

static void end(const replay_t* replay) {
  if (replay->exec) (void)replay->driver->graph_exec_destroy(replay->exec);
  if (replay->graph) (void)replay->driver->graph_destroy(replay->graph);
  if (replay->stream) (void)replay->driver->stream_destroy(replay->stream);
}

rowlock_code_t rlk_replay(const rowlock_device_t* device, rowlock_registry_t* registry,
                          const rowlock_run_options_t* options, const char* when, rowlock_error_t* err) {
  replay_t replay = {.driver = device->driver, .registry = registry, .when = when, .err = err};
  rowlock_code_t code = rlk_device_enter(device, err);
  if (code) return code;
  code = check(&replay, "cuStreamCreate", device->driver->stream_create(&replay.stream, RLK_CU_STREAM_NON_BLOCKING));
  if (!code) code = capture(&replay, options);
  if (!code) code = run_graph(&replay);
  end(&replay);
  rlk_device_leave(device);
  return code;
}
