// Which options go together: what would be ignored is refused.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace day::bench {

// --variant, --all and --gate-only, which the bench does not have, so that it can say so.
void add_options_of_the_day_only(CLI::App& app);

// Throws CLI::ValidationError naming two options of which one would be ignored. `given`: the
// options of the bench that stand on the command line.
void refuse_ignored(const CLI::App& app, const std::vector<std::string>& given);

}  // namespace day::bench
