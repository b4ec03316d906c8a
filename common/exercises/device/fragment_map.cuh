// What a fragment-map submission sees.
#pragma once

namespace tcd {

// A place inside one tile. Anything outside the tile counts as nowhere.
struct Element {
  int row, col;
};

}  // namespace tcd
