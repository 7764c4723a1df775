/* What a host object is called: the format names device artifacts only. */
#ifndef ROWLOCK_LOADER_REGISTRY_OBJECT_NAME_H
#define ROWLOCK_LOADER_REGISTRY_OBJECT_NAME_H

#include "validator/rules/text.h"

/* Puts the artifact's path with the object's extension in place of its own. */
void rlk_object_name_put(rlk_text_t* text, const char* path, size_t length);

/* The same for a sidecar that is launched alone: NAME.sidecar.json and NAME.json have NAME.so on a host, and on a
 * device NAME with the extension of the artifact's format. */
void rlk_object_name_put_of_sidecar(rlk_text_t* text, const char* path, const char* extension);

#endif
