// What the runtime tells people: lines on stderr that begin with "tcd: ".
#pragma once

#include <string>
#include <string_view>

namespace tcd::emu::runtime {

// Something went wrong that the caller's error code cannot explain. Printed always.
void complain(std::string_view text);
// The same, but a text that was printed before is not printed again.
void complain_once(std::string_view text);
// Something worth knowing although all is well. Printed once each; silenced by TCD_QUIET=1.
void note_once(std::string_view text);

// A mangled name as people write it: "store_at(int*)". Other names come back unchanged.
std::string readable(const std::string& mangled);

}  // namespace tcd::emu::runtime
