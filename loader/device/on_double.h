/* For tests: the driver of this process is the double of testdata, and the deployments of //loader/registry have PTX.
 */
#ifndef ROWLOCK_LOADER_DEVICE_ON_DOUBLE_H
#define ROWLOCK_LOADER_DEVICE_ON_DOUBLE_H

#include "loader/device/testdata/driver_double.h"
#include "loader/registry/deployment.h"

/* Each of these fails the test when something else goes wrong than what it returns. */

/* Makes the double "driver_double", or another of its kind, this process's driver. Before anything asks for one. */
rlk_double_t* rlk_double_use(const char* name);

/* From here on the call's nth one ends with that result, RLK_DOUBLE_EACH: every one. */
void rlk_double_fail(rlk_double_t* driver, rlk_double_call_t call, uint32_t nth, rlk_cu_result_t result);
void rlk_double_relent(rlk_double_t* driver);

/* How often it was called. */
size_t rlk_double_count(const rlk_double_t* driver, rlk_double_call_t call);

/* The launch of that number, from 0. */
const rlk_double_launch_t* rlk_double_launch(const rlk_double_t* driver, size_t number);

/* Nothing is open, on no thread, and nothing was given back twice or called without a context. */
void rlk_double_expect_closed(const rlk_double_t* driver, const char* when);

/* The same at the end of a test, where Criterion does not count what is expected: the process is stopped. */
void rlk_double_end(const rlk_double_t* driver);

/* Writes a module with one kernel. `parameters` are words: "40" is a struct of so many bytes, "f64" a value; a triple
 * and the layout array come with generation 2. */
void rlk_put_ptx(const rlk_deployment_t* deployment, const char* file, const char* parameters, int generation);

/* A deployment with PTX for its artifacts, and the first device. The registry is on it. */
typedef struct rlk_on_double_t {
  rlk_double_t* driver;
  rowlock_device_t* device;
  rlk_deployment_t deployment;
} rlk_on_double_t;

void rlk_on_double_create(rlk_on_double_t* on, const char* driver);

/* Loads "forces" of the deployment, which must be accepted. */
void rlk_on_double_add(rlk_on_double_t* on, const char* name);

/* Closes everything and expects that nothing is open. */
void rlk_on_double_destroy(rlk_on_double_t* on);

#endif
