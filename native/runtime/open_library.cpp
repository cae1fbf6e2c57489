#include "runtime/open_library.h"

#include <c10/util/Type.h>
#include <dlfcn.h>

#include <filesystem>
#include <regex>

#include "runtime/failure.h"

namespace opsmith {
namespace {

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Failure load_failure(const std::string& path, const std::string& error) {
  static const std::regex missing_symbol("undefined symbol: ([^ ,]+)");
  static const std::regex missing_library(
      "^([^ :]+): cannot open shared object file: No such file");
  std::smatch match;
  Failure failure(ErrorCode::library_load, file_name(path) + " could not be loaded: " + error);
  failure.detail = error;
  if (std::regex_search(error, match, missing_symbol)) {
    failure.message = file_name(path) + " needs " + demangle(match[1].str().c_str()) +
                      ", which is not defined in the sources, in libtorch or in a linked library.";
    failure.hint =
        "Add the source that defines the symbol to `sources`, or the library that defines it to "
        "`ldflags` or `pkgConfig`.";
  } else if (std::regex_search(error, match, missing_library)) {
    if (match[1] == path) {
      failure.message = "There is no library " + path + ".";
    } else {
      failure.message = file_name(path) + " needs the library " + match[1].str() +
                        ", which was not found on this machine.";
      failure.hint =
          "Install the package that contains this library, or add its folder with -Wl,-rpath in "
          "`ldflags`.";
    }
  }
  return failure;
}

}  // namespace

void* open_library(const std::string& path) {
  offer_libtorch_symbols();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw load_failure(path, dlerror());
  return handle;
}

void offer_libtorch_symbols() {
  static const bool offered = [] {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(&c10::demangle), &info) != 0) {
      const auto folder = std::filesystem::path(info.dli_fname).parent_path();
      for (const char* name :
           {"libc10.so", "libtorch_cpu.so", "libtorch.so", "libc10_cuda.so", "libtorch_cuda.so"}) {
        dlopen((folder / name).c_str(), RTLD_NOLOAD | RTLD_NOW | RTLD_GLOBAL);
      }
    }
    return true;
  }();
  (void)offered;
}

}  // namespace opsmith
