// A sandbox that needs no right of root's: Landlock for files and signals, seccomp for the network.
// It binds the calling thread, what it executes and what that starts; none of them can leave it.
#pragma once

#include <string>
#include <vector>

namespace opsmith::launcher {

// What the sandbox keeps from the program: a kernel may lack a part.
struct Bounds {
  bool files = false;    // writes outside of the folders given
  bool network = false;  // sockets but those of this machine's own file system
  bool signals = false;  // signals to processes outside of the sandbox

  std::string text() const;  // the names of those that hold: "files network signals"
};

// What this kernel offers; nothing is restricted.
Bounds offered_bounds();

// From now on only `folders` and what lies in them can be written, devices that every program may
// need, and what /proc has of this process. Folders that are not there are left out. A bound that
// the kernel refuses is missing from the answer.
Bounds enter_sandbox(const std::vector<std::string>& folders);

}  // namespace opsmith::launcher
