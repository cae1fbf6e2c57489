// What the checks found, and the report that is written when the program ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

/** A place in the program: an instruction, or a line where the runtime was told one. */
struct CodePlace {
  const void* instruction = nullptr;
  Site site;
};

/** A thread of a launch, as findings name it. */
struct ThreadPlace {
  uint3 block{};
  uint3 thread{};
  bool exists = false;
};

struct Finding {
  /** The check, as the command line names it: "out-of-bounds". */
  const char* check = "";
  /** What happened, in one sentence. */
  std::string message;
  /** What to do, in one sentence. */
  std::string remedy;
  CodePlace place;
  ThreadPlace thread;
  /** The access that came before, where two take part. */
  CodePlace other_place;
  ThreadPlace other_thread;
  std::string other;  // what it was: "write"
  /** The allocation that the address belongs to. */
  Site allocated;
  std::string kernel;
  Site launched;
};

/** Keeps a finding; one at the same place is counted, not kept again. */
void add_finding(Finding finding);
bool has_findings();
/** The report as JSON, as contract/gpu-findings.ts has it; what was found is forgotten. */
std::string take_report(std::uint64_t launches, std::uint64_t accesses);
/** Writes the report to the file that OPSMITH_GPU_REPORT names. */
void write_report(std::uint64_t launches, std::uint64_t accesses);

}  // namespace opsmith::gpu
