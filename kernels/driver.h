/* driver.h - the driver's C interface, found at run time: to start, no CUDA library is needed. */
#ifndef ORDO_KERNELS_DRIVER_H
#define ORDO_KERNELS_DRIVER_H

#include "base/status.h"

#include <cuda.h>

/* name in our table, type, symbol in libcuda.so.1 (the versions that cuda.h's macros choose) */
#define ORDO_DRIVER_FUNCTIONS(F)                                                                                 \
    F(init, cuInit, "cuInit")                                                                                    \
    F(device_get, cuDeviceGet, "cuDeviceGet")                                                                    \
    F(device_name, cuDeviceGetName, "cuDeviceGetName")                                                           \
    F(device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")                                            \
    F(retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                                              \
    F(release, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")                                        \
    F(set_current, cuCtxSetCurrent, "cuCtxSetCurrent")                                                           \
    F(get_current, cuCtxGetCurrent, "cuCtxGetCurrent")                                                           \
    F(get_device, cuCtxGetDevice, "cuCtxGetDevice")                                                              \
    F(module_load, cuModuleLoadData, "cuModuleLoadData")                                                         \
    F(module_unload, cuModuleUnload, "cuModuleUnload")                                                           \
    F(module_function, cuModuleGetFunction, "cuModuleGetFunction")                                               \
    F(module_global, cuModuleGetGlobal, "cuModuleGetGlobal_v2")                                                  \
    F(function_set, cuFuncSetAttribute, "cuFuncSetAttribute")                                                    \
    F(alloc, cuMemAlloc, "cuMemAlloc_v2")                                                                        \
    F(free, cuMemFree, "cuMemFree_v2")                                                                           \
    F(set_d32, cuMemsetD32Async, "cuMemsetD32Async")                                                             \
    F(to_device, cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")                                                      \
    F(to_host, cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")                                                        \
    F(launch, cuLaunchKernelEx, "cuLaunchKernelEx")                                                              \
    F(stream_make, cuStreamCreate, "cuStreamCreate")                                                             \
    F(stream_wait, cuStreamSynchronize, "cuStreamSynchronize")                                                   \
    F(capture_begin, cuStreamBeginCapture, "cuStreamBeginCapture_v2")                                            \
    F(capture_end, cuStreamEndCapture, "cuStreamEndCapture")                                                     \
    F(graph_make, cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags")                                    \
    F(graph_launch, cuGraphLaunch, "cuGraphLaunch")                                                              \
    F(graph_free, cuGraphExecDestroy, "cuGraphExecDestroy")                                                      \
    F(draft_free, cuGraphDestroy, "cuGraphDestroy")                                                              \
    F(event_make, cuEventCreate, "cuEventCreate")                                                                \
    F(event_record, cuEventRecord, "cuEventRecord")                                                              \
    F(event_query, cuEventQuery, "cuEventQuery")                                                                 \
    F(event_time, cuEventElapsedTime, "cuEventElapsedTime")                                                   \
    F(error_text, cuGetErrorString, "cuGetErrorString")

struct ordo_driver {
    void *library;
#define ORDO_MEMBER(name, function, symbol) __typeof__(function) *name;
    ORDO_DRIVER_FUNCTIONS(ORDO_MEMBER)
#undef ORDO_MEMBER
};

/* ORDO_ENVIRONMENT where there is no driver, or one that lacks a function.  Stays loaded. */
enum ordo_status ordo_driver_find(struct ordo_driver *driver, struct ordo_err *err);

/* ORDO_OK for CUDA_SUCCESS; else what the driver says about `what`. */
enum ordo_status ordo_driver_check(const struct ordo_driver *driver, CUresult result, const char *what,
                                   struct ordo_err *err);

#endif
