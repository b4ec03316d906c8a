/* Questions a program may ask the emulated device. NVIDIA's runtime has no such functions: find
 * them with dlsym, so that the same executable also runs on a card.
 *
 *   auto profile = (tcd_emulated_profile_fn*)dlsym(RTLD_DEFAULT, "tcd_emulated_profile");
 *   if (profile) printf("emulated %s\n", profile());
 */
#ifndef TCD_EMULATED_DEVICE_H
#define TCD_EMULATED_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "rtx4060-laptop"; NULL when TCD_GPU names no profile. */
typedef const char* tcd_emulated_profile_fn(void);
/* What in the environment cannot be used (TCD_GPU, TCD_CHECKS, …), in words; NULL: nothing. */
typedef const char* tcd_settings_error_fn(void);
/* Total of one counter over all launches since the start or the last reset. 0: known, *value is
 * set; -1: no counter of that name. */
typedef int tcd_counter_fn(const char* name, uint64_t* value);
/* Stores up to `capacity` names; returns how many there are. The strings live forever. */
typedef int tcd_counter_names_fn(const char** names, int capacity);
typedef void tcd_counters_reset_fn(void);

tcd_emulated_profile_fn tcd_emulated_profile;
tcd_settings_error_fn tcd_settings_error;
tcd_counter_fn tcd_counter;
tcd_counter_names_fn tcd_counter_names;
tcd_counters_reset_fn tcd_counters_reset;

#ifdef __cplusplus
}
#endif
#endif
