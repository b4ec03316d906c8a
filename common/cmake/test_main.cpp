// doctest's implementation and main(), compiled once for all test programs: it takes longer to
// compile than most tests.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
