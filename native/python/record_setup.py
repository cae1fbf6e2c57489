"""Runs a setup.py with setuptools.setup and the extension classes recorded: nothing is compiled or installed.

    python3 record_setup.py FOLDER ANSWERS setup.py

setup.py runs twice: torch.cuda.is_available() is false for ANSWERS/cpu.json, and true for ANSWERS/cuda.json.
ANSWERS/cpu.json.files gets what setup.py writes into its folder. The exit status is 0 also where setup.py fails:
"error" of the answer has the message and the line then.
"""

import atexit
import builtins
import gc
import importlib.machinery
import importlib.util
import io
import json
import os
import runpy
import shutil
import sys
import tempfile
import traceback
import types

CUDA_HOME = "/usr/local/cuda"
STAND_IN_VERSION = "2.13.0"


class Recorder:
    def __init__(self, folder, with_cuda, scratch, script):
        self.folder = os.path.realpath(folder)
        self.script = os.path.realpath(os.path.join(self.folder, script))
        self.with_cuda = with_cuda
        self.setups = []
        self.environment = {}
        self.written = {}
        self.scratch = scratch
        os.makedirs(scratch)

    def inside(self, name):
        try:
            named = os.path.abspath(os.fsdecode(name))
        except (TypeError, ValueError):
            return None
        # A link in the folder is part of it, wherever it leads.
        for place in (named, os.path.realpath(named)):
            if place.startswith(self.folder + os.sep):
                return place
        return None

    def caller_line(self):
        """The line of the script that is running; 0 where it is not on the stack."""
        frame = sys._getframe(1)
        while frame is not None:
            if os.path.realpath(frame.f_code.co_filename) == self.script:
                return frame.f_lineno
            frame = frame.f_back
        return 0


def text_list(values):
    """Texts of a list that a setup.py gave; paths become texts, and what is neither is left out."""
    if values is None:
        return []
    if isinstance(values, (str, os.PathLike)):
        values = [values]
    return [os.fspath(one) for one in values if isinstance(one, (str, os.PathLike))]


def flags_by_compiler(flags):
    if isinstance(flags, dict):
        return {str(key): text_list(value) for key, value in flags.items()}
    return {"all": text_list(flags)} if flags else {}


def macros_of(macros):
    found = []
    for macro in macros or []:
        name, value = (macro[0], macro[1] if len(macro) > 1 else None) if not isinstance(macro, str) else (macro, None)
        found.append([str(name), None if value is None else str(value)])
    return found


def describe(extension):
    get = lambda name: getattr(extension, name, None)
    return {
        "name": str(get("name") or ""),
        "kind": get("_opsmith_kind") or type(extension).__name__,
        "line": get("_opsmith_line") or 0,
        "sources": text_list(get("sources")),
        "includeDirs": text_list(get("include_dirs")),
        "macros": macros_of(get("define_macros")),
        "undefined": text_list(get("undef_macros")),
        "flags": flags_by_compiler(get("extra_compile_args")),
        "libraries": text_list(get("libraries")),
        "libraryDirs": text_list(get("library_dirs")),
        "runtimeLibraryDirs": text_list(get("runtime_library_dirs")),
        "linkFlags": text_list(get("extra_link_args")),
        "extraObjects": text_list(get("extra_objects")),
        "limitedApi": bool(get("py_limited_api")),
        "language": str(get("language") or ""),
        "deviceLink": bool(get("dlink")),
    }


class StandInModule(types.ModuleType):
    """A module of which all submodules and names can be imported; a name that it does not have is a class."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__init__": lambda self, *args, **kwargs: None})
        setattr(self, name, made)
        return made


class StandInFinder:
    """Finds the submodules of stand-in modules."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in self.names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return StandInModule(spec.name)

    def exec_module(self, module):
        pass


def can_import(name):
    try:
        importlib.import_module(name)
        return True
    except Exception:
        for known in [one for one in sys.modules if one == name or one.startswith(name + ".")]:
            del sys.modules[known]
        return False


def stand_in_torch():
    import torch

    torch.__version__ = STAND_IN_VERSION
    torch.__file__ = os.path.join(tempfile.gettempdir(), "opsmith-no-torch", "__init__.py")
    torch.__path__ = [os.path.dirname(torch.__file__)]
    import torch.cuda
    import torch.utils
    import torch.utils.cpp_extension as cpp_extension
    import torch.version

    torch.version.__version__ = STAND_IN_VERSION
    torch._C = types.SimpleNamespace(_GLIBCXX_USE_CXX11_ABI=True)
    torch.compiled_with_cxx11_abi = lambda: True
    torch.get_num_threads = lambda: os.cpu_count() or 1
    torch.backends = types.SimpleNamespace(
        openmp=types.SimpleNamespace(is_available=lambda: True),
        mps=types.SimpleNamespace(is_available=lambda: False),
        cudnn=types.SimpleNamespace(version=lambda: None),
    )
    import torch.__config__ as build_settings

    build_settings.parallel_info = lambda: "ATen parallel backend: OpenMP"
    build_settings.show = lambda: ""

    import setuptools.command.build_ext

    class BuildExtension(setuptools.command.build_ext.build_ext):
        @classmethod
        def with_options(cls, **options):
            return cls

    cpp_extension.BuildExtension = BuildExtension
    cpp_extension.include_paths = lambda *args, **kwargs: []
    cpp_extension.library_paths = lambda *args, **kwargs: []
    cpp_extension.is_ninja_available = lambda: True
    cpp_extension.IS_WINDOWS = False
    cpp_extension.IS_HIP_EXTENSION = False
    cpp_extension.CUDNN_HOME = None


def stand_in_setuptools():
    import setuptools
    import setuptools.command.build_ext

    class Extension:
        def __init__(self, name, sources, *args, **options):
            self.name = name
            self.sources = list(sources)
            for key, value in options.items():
                setattr(self, key, value)

    setuptools.Extension = Extension
    setuptools.find_packages = lambda *args, **kwargs: []
    setuptools.find_namespace_packages = lambda *args, **kwargs: []


def record_classes(recorder):
    import setuptools
    import torch
    import torch.cuda
    import torch.utils.cpp_extension as cpp_extension

    with_cuda = recorder.with_cuda

    def set_up(*args, **options):
        recorder.setups.append((options, recorder.caller_line()))

    base = setuptools.Extension

    def recorded(kind):
        class Recorded(base):
            def __init__(self, name, sources, *args, **options):
                self._opsmith_kind = kind
                self._opsmith_line = recorder.caller_line()
                # setuptools does not know this one.
                self.dlink = bool(options.pop("dlink", False) or options.pop("dlink_libraries", None))
                super().__init__(name, sources, *args, **options)

        Recorded.__name__ = kind
        return Recorded

    setuptools.setup = set_up
    setuptools.Extension = recorded("Extension")
    for name in ("distutils.core", "setuptools.extension", "distutils.extension"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if hasattr(module, "setup"):
            module.setup = set_up
        if hasattr(module, "Extension") and name != "distutils.extension":
            module.Extension = setuptools.Extension
    for kind in ("CppExtension", "CUDAExtension", "SyclExtension"):
        setattr(cpp_extension, kind, recorded(kind))
    cpp_extension.CUDA_HOME = CUDA_HOME if with_cuda else None
    cpp_extension.ROCM_HOME = None
    torch.version.hip = None
    if not with_cuda:
        torch.version.cuda = None
    elif not isinstance(getattr(torch.version, "cuda", None), str):
        torch.version.cuda = "13.0"
    torch.cuda.is_available = lambda: with_cuda
    torch.cuda.device_count = lambda: 1 if with_cuda else 0
    torch.cuda.get_device_capability = lambda *args: (8, 0)
    torch.cuda.get_device_name = lambda *args: "GPU"
    torch.cuda.get_arch_list = lambda: ["sm_80"] if with_cuda else []


def record_environment(recorder):
    """Records the unset environment variables that setup.py reads, with the line."""

    class Environment(type(os.environ)):
        def __getitem__(self, key):
            try:
                return super().__getitem__(key)
            except KeyError:
                recorder_line = recorder.caller_line()
                if recorder_line and isinstance(key, str):
                    recorder.environment.setdefault(key, recorder_line)
                raise

    os.environ.__class__ = Environment


def keep_writes_out(recorder):
    """Redirects what setup.py writes into its folder, such as a version file, and later reads of that file."""
    real_open = builtins.open

    def open_elsewhere(file, mode="r", *args, **options):
        place = recorder.inside(file) if not isinstance(file, int) else None
        if place is not None:
            if any(letter in mode for letter in "wax+"):
                scratch = recorder.written.get(place)
                if scratch is None:
                    scratch = os.path.join(recorder.scratch, str(len(recorder.written)))
                    if "w" not in mode and "x" not in mode and os.path.exists(place):
                        with real_open(place, "rb") as old, real_open(scratch, "wb") as new:
                            new.write(old.read())
                    recorder.written[place] = scratch
                return real_open(scratch, mode, *args, **options)
            file = recorder.written.get(place, file)
        return real_open(file, mode, *args, **options)

    builtins.open = open_elsewhere
    io.open = open_elsewhere

    def leave_out(module, name, written):
        """Makes a function do nothing for files in the folder. `written`: the arguments that name what it changes."""
        real = getattr(module, name)

        def changed(*args, **options):
            given = [args[at] for at in written if at < len(args)]
            given += [options[key] for key in ("dst", "path", "name") if key in options]
            if options.get("dir_fd") is not None or any(recorder.inside(one) for one in given):
                return None
            return real(*args, **options)

        setattr(module, name, changed)

    for name in ("mkdir", "makedirs", "remove", "unlink", "rmdir", "removedirs", "chmod", "utime", "truncate"):
        leave_out(os, name, [0])
    for name in ("rename", "replace", "renames"):
        leave_out(os, name, [0, 1])
    for name in ("symlink", "link"):
        leave_out(os, name, [1])
    for name in ("copy", "copy2", "copyfile", "copytree", "copystat", "copymode"):
        leave_out(shutil, name, [1])
    leave_out(shutil, "move", [0, 1])
    leave_out(shutil, "rmtree", [0])


def failure_of(recorder, error):
    line = 0
    file = recorder.script
    if isinstance(error, SyntaxError) and error.filename:
        file, line = os.path.realpath(error.filename), error.lineno or 0
    else:
        for frame, number in traceback.walk_tb(error.__traceback__):
            name = os.path.realpath(frame.f_code.co_filename)
            if name.startswith(recorder.folder + os.sep):
                file, line = name, number
    message = "".join(traceback.format_exception_only(type(error), error)).strip().split("\n")[-1]
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    return {
        "message": message,
        "file": os.path.relpath(file, recorder.folder),
        "line": line,
        "missingModule": missing,
    }


def prepare(folder):
    """Imports torch and setuptools; the names of those that are replaced because this Python does not have them."""
    os.chdir(folder)
    sys.dont_write_bytecode = True
    # To collect garbage takes a quarter of the time of importing torch, and finds nothing.
    gc.disable()
    stand_ins = [name for name in ("setuptools", "torch") if not can_import(name)]
    if stand_ins:
        sys.meta_path.append(StandInFinder(stand_ins))
    if "setuptools" in stand_ins:
        stand_in_setuptools()
    if "torch" in stand_ins:
        stand_in_torch()
    import setuptools.command.build_ext
    import torch.utils.cpp_extension

    return stand_ins


def run_twice(record):
    """Calls record("cpu") and record("cuda") in copies of this process: importing torch is slow, so it is done once."""
    copies = []
    for which in ("cpu", "cuda"):
        copy = os.fork()
        if copy == 0:
            # After what the project's code registers.
            atexit.register(end)
            return record(which)
        copies.append(copy)
    for copy in copies:
        os.waitpid(copy, 0)
    end()


def end():
    """Ends this process without unloading torch's modules, which takes half a second."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def write_answer(recorder, answer_file, error, stand_ins, setup, extensions):
    answer = {
        "error": error,
        "standIns": stand_ins,
        "setup": {"line": 0, "name": "", "version": ""} | setup,
        "extensions": extensions,
        "environment": [{"name": name, "line": at} for name, at in recorder.environment.items()],
    }
    with open(answer_file, "w", encoding="utf-8") as out:
        json.dump(answer, out)


def record(which, folder, answers, script, stand_ins):
    answer_file = os.path.join(answers, which + ".json")
    recorder = Recorder(folder, which == "cuda", answer_file + ".files", script)
    record_classes(recorder)
    # Our own folder is first on the path until here; a project's setup.py finds its own there.
    sys.path[0] = recorder.folder
    sys.argv = [script, "build_ext"]
    record_environment(recorder)
    keep_writes_out(recorder)
    error = None
    try:
        runpy.run_path(recorder.script, run_name="__main__")
    except SystemExit as end:
        if not recorder.setups and end.code not in (None, 0):
            error = failure_of(recorder, end)
    except BaseException as failure:
        error = failure_of(recorder, failure)
    options = {}
    line = 0
    extensions = []
    for given, at in recorder.setups:
        options.update(given)
        line = line or at
        extensions += [describe(one) for one in given.get("ext_modules") or []]
    setup = {"line": line, "name": str(options.get("name") or ""), "version": str(options.get("version") or "")}
    write_answer(recorder, answer_file, error, stand_ins, setup, extensions)


def main():
    folder, answers, script = sys.argv[1:4]
    answers = os.path.abspath(answers)
    folder = os.path.realpath(folder)
    stand_ins = prepare(folder)
    run_twice(lambda which: record(which, folder, answers, script, stand_ins))


if __name__ == "__main__":
    main()
