/* The loader's own kernels: kernels.ptx, as a text that ends in NUL. */
#ifndef ROWLOCK_LOADER_DEVICE_KERNELS_H
#define ROWLOCK_LOADER_DEVICE_KERNELS_H

extern const char rlk_kernels_ptx[];

#endif
