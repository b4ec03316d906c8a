// A mistake as people make it, and the same program without it. Both end in a plain result check,
// so that they run on a card too.
#pragma once

#include <string>
#include <vector>

// What a check of the results alone finds: no device is asked.
struct Outcome {
  bool right = false;
  std::string words;  // "64 of 64 elements differ, …" or "cudaErrorIllegalAddress"
};

struct Mistake {
  std::string name;  // on the command line; unique
  std::string what;  // in the table
  // Who names it. `says` begins the emulated device's report ("race in shared memory: read", …),
  // and a comment "// reported: MARK" stands on the line to be blamed; `also` is in the report too.
  // Without `says` nothing on the device is wrong: the result check must fail, and say `also`.
  std::string says;
  std::string mark;  // empty where a launch is refused: that has no line on the device
  std::string also;
  Outcome (*run)(bool wrong);
  std::string twin = {};  // the program without the mistake, where several mistakes share it
};

std::vector<Mistake> all_mistakes();

// Has the device read the code of them all, once: a process that is forked later need not.
void parse_kernels();
