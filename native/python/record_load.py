"""Imports a script with torch.utils.cpp_extension.load and load_inline recorded: nothing is compiled.

    python3 record_load.py FOLDER ANSWERS SCRIPT

SCRIPT is relative to FOLDER, and is run under its own name: what `if __name__ == "__main__"` guards does not run.
The import ends where the script first calls a function of what it loads. ANSWERS and the exit status are those of
record_setup.py; an extension has "inline" too: sources that are texts, and the functions to bind.
"""

import os
import runpy
import sys

import record_setup
from record_setup import Recorder, text_list

# The parameters that scripts give by position, in torch's order.
FLAGS = ("extra_cflags", "extra_cuda_cflags", "extra_sycl_cflags", "extra_ldflags", "extra_include_paths")
LOAD = ("name", "sources", *FLAGS)
LOAD_INLINE = ("name", "cpp_sources", "cuda_sources", "sycl_sources", "functions", *FLAGS)


def bound(names, *args, **options):
    return dict(zip(names, args)) | options


class EndOfImport(BaseException):
    """Raised when the script calls a function of an extension: nothing was built."""


class Loaded:
    """What load() returns here. Any attribute can be read, but a call ends the import."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Loaded()

    def __call__(self, *args, **options):
        raise EndOfImport()


class LoadRecorder(Recorder):
    def __init__(self, folder, with_cuda, scratch, script):
        super().__init__(folder, with_cuda, scratch, script)
        self.extensions = []

    def place_of(self, name):
        """The absolute path of a file that the script names: in FOLDER, or next to the script if it is only there."""
        below = os.path.join(os.path.dirname(self.script), name)
        return os.path.abspath(below if not os.path.exists(name) and os.path.exists(below) else name)

    def record(self, kind, given, sources, inline):
        flags = {"cxx": text_list(given.get("extra_cflags")), "nvcc": text_list(given.get("extra_cuda_cflags"))}
        self.extensions.append(
            {
                "name": str(given.get("name") or ""),
                "kind": kind,
                "line": self.caller_line(),
                "sources": [self.place_of(one) for one in sources],
                "includeDirs": [self.place_of(one) for one in text_list(given.get("extra_include_paths"))],
                "macros": [],
                "undefined": [],
                "flags": flags,
                "libraries": [],
                "libraryDirs": [],
                "runtimeLibraryDirs": [],
                "linkFlags": text_list(given.get("extra_ldflags")),
                "extraObjects": [],
                "limitedApi": False,
                "language": "",
                "deviceLink": False,
                "inline": inline,
            }
        )
        return Loaded()


def inline_sources(given):
    """The sources as load_inline writes them, and the functions that it binds."""
    cpp = text_list(given.get("cpp_sources"))
    cuda = text_list(given.get("cuda_sources"))
    if not given.get("no_implicit_headers"):
        cpp = ["#include <torch/extension.h>"] + cpp
        cuda = cuda and ["#include <torch/types.h>", "#include <cuda.h>", "#include <cuda_runtime.h>"] + cuda
    functions = given.get("functions")
    return {
        "cpp": "\n".join(one.strip("\n") for one in cpp),
        "cuda": "\n".join(one.strip("\n") for one in cuda),
        "functions": text_list(list(functions) if isinstance(functions, dict) else functions),
    }


def record_calls(recorder):
    import torch.utils.cpp_extension as cpp_extension

    def load(name, sources, *args, **options):
        given = bound(LOAD, name, sources, *args, **options)
        return recorder.record("load", given, text_list(sources), None)

    def load_inline(name, cpp_sources, *args, **options):
        given = bound(LOAD_INLINE, name, cpp_sources, *args, **options)
        return recorder.record("load_inline", given, [], inline_sources(given))

    cpp_extension.load = load
    cpp_extension.load_inline = load_inline
    # Asks for ninja and a compiler, which nothing here runs.
    cpp_extension.verify_ninja_availability = lambda: None


def record(which, folder, answers, script, stand_ins):
    answer_file = os.path.join(answers, which + ".json")
    recorder = LoadRecorder(folder, which == "cuda", answer_file + ".files", script)
    record_setup.record_classes(recorder)
    record_calls(recorder)
    sys.path[0] = os.path.dirname(recorder.script)
    sys.path.insert(1, recorder.folder)
    sys.argv = [script]
    record_setup.record_environment(recorder)
    record_setup.keep_writes_out(recorder)
    error = None
    try:
        runpy.run_path(recorder.script, run_name=os.path.splitext(os.path.basename(script))[0])
    except (EndOfImport, SystemExit):
        pass
    except BaseException as failure:
        error = record_setup.failure_of(recorder, failure)
    record_setup.write_answer(recorder, answer_file, error, stand_ins, {}, recorder.extensions)


def main():
    folder, answers, script = sys.argv[1:4]
    answers = os.path.abspath(answers)
    folder = os.path.realpath(folder)
    stand_ins = record_setup.prepare(folder)
    record_setup.run_twice(lambda which: record(which, folder, answers, script, stand_ins))


if __name__ == "__main__":
    main()
