// A file that is written when a run ends, and known to be writable before it begins.
#pragma once

#include <cstdio>
#include <string>

namespace tcd::harness {

class OutputFile {
 public:
  // `option` is what the user typed before `path`, for messages. An empty path: no file is wanted,
  // write() does nothing. Throws UsageError with path and reason when it cannot be written.
  OutputFile(std::string option, std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;

  // An ordinary file is written under another name first and then renamed: an interrupted run
  // leaves the old file or none, never half. Throws UsageError when not all could be written.
  void write(const std::string& text);

 private:
  [[noreturn]] void fail(int error) const;
  void open_for_test();

  std::string option_, path_, unfinished_;
  std::FILE* stream_ = nullptr;  // a device or a pipe, which is opened once and never renamed
};

// The exit code of a program that wants to end with `code`: standard output is flushed, and when
// not all of it could be written that is said on stderr and the answer is 2, or still 1.
int check_stdout(int code);

}  // namespace tcd::harness
