#include "harness/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include "harness/usage.h"

namespace tcd::harness {

namespace {

// errno of the first step that fails, else 0. Closes the stream in any case.
int write_and_close(std::FILE* stream, const std::string& text) {
  int error = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size()) error = errno;
  if (std::fclose(stream) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

OutputFile::OutputFile(std::string option, std::string path)
    : option_(std::move(option)), path_(std::move(path)) {
  if (path_.empty()) return;
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(status)) fail(EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    stream_ = std::fopen(path_.c_str(), "w");
    if (stream_ == nullptr) fail(errno);
    return;
  }
  if (std::filesystem::exists(status) && access(path_.c_str(), W_OK) != 0) fail(errno);
  // A link stays a link: the file behind it is replaced.
  std::string target = path_;
  if (const auto real = std::filesystem::canonical(path_, ignored); !ignored) target = real;
  unfinished_ = target + ".tmp";
  open_for_test();
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr) std::fclose(stream_);
}

// Made and removed again: a run that is killed must not leave it behind.
void OutputFile::open_for_test() {
  std::FILE* const test = std::fopen(unfinished_.c_str(), "w");
  if (test == nullptr) fail(errno);
  std::fclose(test);
  std::remove(unfinished_.c_str());
}

void OutputFile::write(const std::string& text) {
  if (path_.empty()) return;
  if (stream_ != nullptr) {
    if (const int error = write_and_close(std::exchange(stream_, nullptr), text)) fail(error);
    return;
  }
  std::FILE* const file = std::fopen(unfinished_.c_str(), "w");
  if (file == nullptr) fail(errno);
  int error = write_and_close(file, text);
  const std::string target = unfinished_.substr(0, unfinished_.size() - std::strlen(".tmp"));
  if (error == 0 && std::rename(unfinished_.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  std::remove(unfinished_.c_str());
  fail(error);
}

void OutputFile::fail(int error) const {
  throw UsageError(option_ + " " + path_ + " cannot be written: " + std::strerror(error));
}

int check_stdout(int code) {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::cout && std::ferror(stdout) == 0) return code;
  int error = errno;
  // The write that failed may be long ago and its reason forgotten: the next one fails alike.
  if (error == 0 && write(STDOUT_FILENO, "\n", 1) < 0) error = errno;
  std::cerr << "error: standard output cannot be written"
            << (error != 0 ? std::string(": ") + std::strerror(error) : "") << "\n";
  return code == 1 ? 1 : 2;
}

}  // namespace tcd::harness
