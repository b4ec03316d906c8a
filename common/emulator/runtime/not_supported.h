// Behind every exported name that this library does not implement (see generate_stubs.cmake).
#pragma once

// Says once on stderr that `name` is not emulated; returns cudaErrorNotSupported.
extern "C" int tcd_not_supported(const char* name);
