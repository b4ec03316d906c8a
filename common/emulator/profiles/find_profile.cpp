#include <string>

#include "profiles/profile.h"

namespace tcd::emu {

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : all_profiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

std::string unknown_profile_message(std::string_view name) {
  std::string text = "no GPU profile is called \"";
  text.append(name).append("\". Profiles:");
  for (const Profile& profile : all_profiles()) text.append(" ").append(profile.name);
  return text.append(" (default: ").append(kDefaultProfile).append(")");
}

}  // namespace tcd::emu
