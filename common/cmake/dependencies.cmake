# Libraries the project stands on. An installed package is used first; the pinned release is
# fetched only where there is none, so a distribution's own headers keep the build offline.
include(FetchContent)

function(tcd_find_or_fetch name target repository tag)
  find_package(${name} QUIET)
  if(TARGET ${target})
    return()
  endif()
  message(STATUS "${name}: no installed package, fetching ${tag}")
  FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON SYSTEM)
  FetchContent_MakeAvailable(${name})
  if(NOT TARGET ${target})
    message(FATAL_ERROR
      "${name} was fetched but brought no target ${target}.\n"
      "Install the package instead: sudo apt-get install -y libcli11-dev nlohmann-json3-dev doctest-dev")
  endif()
endfunction()

tcd_find_or_fetch(CLI11 CLI11::CLI11 https://github.com/CLIUtils/CLI11.git v2.4.2)
set(JSON_BuildTests OFF)
tcd_find_or_fetch(nlohmann_json nlohmann_json::nlohmann_json
                  https://github.com/nlohmann/json.git v3.11.3)
if(BUILD_TESTING)
  set(DOCTEST_WITH_TESTS OFF)
  set(DOCTEST_NO_INSTALL ON)
  tcd_find_or_fetch(doctest doctest::doctest https://github.com/doctest/doctest.git v2.4.11)
endif()
