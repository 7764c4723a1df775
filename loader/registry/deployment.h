/* A registry and the deployments of testdata, for tests: loaded as they are, or with one thing changed. */
#ifndef ROWLOCK_LOADER_REGISTRY_DEPLOYMENT_H
#define ROWLOCK_LOADER_REGISTRY_DEPLOYMENT_H

#include "loader/rowlock.h"
#include "loader/test_folder.h"

typedef struct rlk_deployment_t {
  rlk_test_folder_t folder; /* holds copies of testdata's documents; their objects stay where they are built */
  rowlock_registry_t* registry;
  rowlock_findings_t* findings;
  rowlock_error_t err; /* of the last call */
} rlk_deployment_t;

/* Each of these fails the test when something else goes wrong than what it returns. */
void rlk_deployment_create(rlk_deployment_t* deployment);
void rlk_deployment_destroy(rlk_deployment_t* deployment);

/* Replaces the one place where `from` stands in a document. */
void rlk_deployment_edit(const rlk_deployment_t* deployment, const char* document, const char* from, const char* to);

/* The options with which deployments are loaded: objects are found where they are built. */
rowlock_load_options_t rlk_deployment_options(void);

/* "forces" loads forces.manifest.json. */
rowlock_code_t rlk_deployment_add(rlk_deployment_t* deployment, const char* name);

/* The path of a file of testdata, and of a copy in the folder; until the next call of each. */
const char* rlk_testdata_path(const char* name);

/* Whether two results are equal to the last bit. */
bool rlk_same_bytes(const void* a, const void* b, size_t size);

/* Fails the test unless the code is ROWLOCK_OK. */
void rlk_deployment_expect_ok(const rlk_deployment_t* deployment, rowlock_code_t code, const char* what);

/* Fails the test unless the call was refused by that rule, in a message that holds `words`. */
void rlk_deployment_expect_refused(const rlk_deployment_t* deployment, rowlock_code_t code, const char* rule_id,
                                   const char* words);

#endif
