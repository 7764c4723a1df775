/* Performs a launch in this process, which the plugin may crash, exit or hang: see isolate.h for the way around that.
 */
#ifndef ROWLOCK_HARNESS_LAUNCH_PERFORM_H
#define ROWLOCK_HARNESS_LAUNCH_PERFORM_H

#include <json-c/json.h>

#include "harness/launch/launch.h"

/* What begins now: "while loading". `of_another`: in the run that this one is compared with. */
typedef void (*rlk_tell_t)(void* context, const char* stage, bool of_another);

/* Everything borrowed during the call; NULL where there is none. */
typedef struct rlk_performance_t {
  const char* document; /* the manifest, or a sidecar that is launched alone */
  bool is_sidecar;
  const char* object_path; /* as rowlock_load_options_t has them */
  const char* object_folder;
  bool files_anywhere; /* operands' files are where their paths say, not only beside the document */
  bool plan_only;      /* load, bind and plan; call nothing */
  bool on_device;      /* run the structure device_kernel, on the device of that ordinal; else those of the host */
  uint32_t device_ordinal;
  uint32_t thread_count; /* of host_team; 0: its own choice */
  int out_file; /* the outputs of the first structure and partitioning are written to this descriptor, see out_bytes.h,
                   once everything has passed; -1: to none */
  const rlk_launch_t* launch;
  rlk_tell_t tell; /* may be NULL */
  void* context;
} rlk_performance_t;

/* The beginning of a sentence on the run that a launch is compared with. */
#define RLK_COMPARED_WITH "nothing to compare with: "

/* Loads, binds, runs each structure with each partitioning twice or more from different poison, and compares as the
 * launch says.
 *
 * ROWLOCK_OK; ROWLOCK_REJECTED by the rule of a gate, the loader, or the verdict on what was computed;
 * ROWLOCK_UNUSABLE, also where what this is compared with was refused, ROWLOCK_UNAVAILABLE or ROWLOCK_NO_MEMORY with
 * the reason. `*out_report`, which the caller puts, is
 * an object with what was run ("runs", "outputs", "sha256" over all outputs, "note"). Otherwise NULL, or, where the
 * compiler of a device's driver had something to say of a module that was refused, an object with that ("log"). */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_perform(const rlk_performance_t* performance, json_object** out_report,
                                              rowlock_error_t* err);

#endif
