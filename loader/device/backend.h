/* Registries on a device, for one who judges what their kernels do. */
#ifndef ROWLOCK_LOADER_DEVICE_BACKEND_H
#define ROWLOCK_LOADER_DEVICE_BACKEND_H

#include "loader/rowlock.h"

/* From now on each table that is consolidated and not empty stands between zones of that many bytes, a multiple of 256
 * so that the device's alignment is kept: on the host, whence the zones are copied too, and on the device. The budget
 * is of the tables alone. Before the first table; the registry must be one on a device. */
void rlk_device_guard_tables(rowlock_registry_t* registry, uint64_t zone_bytes);

#endif
