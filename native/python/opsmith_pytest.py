"""A plugin of pytest: the tests get Opsmith's library instead of the project's own, and each result is reported.

    python3 -m pytest -p opsmith_pytest

$OPSMITH_PYTEST is JSON: "socket", where the reports go as JSON lines; "library", which is loaded; "name" of the
project, which is the namespace of its bound functions; "modules", the Python modules that the library replaces;
"recordsCalls", whether calls of the project's operators are reported too.
Nothing of the project is written or reinstalled: the modules are answered before Python looks for files.
"""

import gc
import importlib
import importlib.machinery
import importlib.util
import json
import os
import socket
import sys
import traceback
from functools import partial

import pytest
from record_calls import Recorder

# Characters of each text; one test that prints without end must not fill the window.
MOST_TEXT = 100_000
# Has load() and load_inline(), which compile a library and import it.
EXTENSIONS = "torch.utils.cpp_extension"


class Connection:
    """Sends JSON lines; nobody reads them after Opsmith has ended."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.owner = os.getpid()

    def send(self, event, **fields):
        # A copy of the process that a test made has no part in the report.
        if self.socket is None or os.getpid() != self.owner:
            return
        try:
            self.socket.sendall((json.dumps({"event": event, **fields}) + "\n").encode())
        except OSError:
            self.socket = None


class WorkerConnection(Connection):
    """Of a worker of pytest-xdist: the process that started it reports the tests."""

    def send(self, event, **fields):
        if event in ("replaced", "called"):
            super().send(event, **fields)


def import_torch():
    """Imports torch without collecting garbage, which takes half of the time and finds nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        import torch
    finally:
        if was_enabled:
            gc.enable()
    # Later collections, and the one at the end, need not look at what pytest and torch made until now.
    gc.freeze()
    return torch


def shortened(text):
    if len(text) <= MOST_TEXT:
        return text
    half = MOST_TEXT // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters are left out …\n{text[-half:]}"


class Replacement:
    """Replaces Python modules, files that torch.ops.load_library loads, and the result of load() with one library."""

    def __init__(self, library, name, modules, connection):
        self.library = library
        self.name = name
        self.modules = modules
        self.connection = connection
        self.folder = os.path.realpath(os.getcwd())
        self.operators = []
        self.known = set()

    def load(self):
        torch = import_torch()
        before = set(torch._C._dispatch_get_all_op_names())
        real = torch.ops.load_library
        real(self.library)
        self.operators = sorted(set(torch._C._dispatch_get_all_op_names()) - before)

        def load_library(path):
            # A package that found the library by PathFinder names it itself.
            if os.fspath(path) != self.library and self.is_replaced(path):
                self.note(os.fspath(path))
                path = self.library
            return real(path)

        torch.ops.load_library = load_library
        sys.meta_path.insert(0, self)
        self.answer_path_finder()
        if EXTENSIONS in sys.modules:
            self.replace_loading(sys.modules[EXTENSIONS])

    def note(self, what):
        if what not in self.known:
            self.known.add(what)
            self.connection.send("replaced", what=what)

    def is_replaced(self, path):
        """A library of the project, in its folder or where its package is installed."""
        file = os.path.abspath(os.fspath(path))
        stem = os.path.basename(file).split(".")[0]
        for module in self.modules:
            *packages, last = module.split(".")
            if stem not in (last, self.name, f"lib{last}", f"lib{self.name}"):
                continue
            folders = os.path.dirname(file).split(os.sep)
            if folders[len(folders) - len(packages) :] == packages and packages:
                return True
            # Other packages have a _C too; nobody else has the name of the project.
            if stem in (self.name, f"lib{self.name}") or is_of_project(os.path.realpath(file), [self.folder]):
                return True
        return False

    def replace_loading(self, extensions):
        """Lets load() and load_inline() of the project's extension give what is built already."""

        def replaced(real):
            def load(name, *args, **options):
                module = next((one for one in self.modules if one.split(".")[-1] == name), None)
                if module is None:
                    return real(name, *args, **options)
                self.note(f"{real.__name__}({name!r})")
                is_module = options.get("is_python_module", True)
                return importlib.import_module(module) if is_module else self.library

            return load

        for name in ("load", "load_inline"):
            setattr(extensions, name, replaced(getattr(extensions, name)))

    def answer_path_finder(self):
        """Packages that look for the file of a library ask PathFinder for its short name in their own folder."""
        real = importlib.machinery.PathFinder.find_spec

        def find_spec(cls, name, path=None, target=None):
            for module in self.modules:
                *packages, last = module.split(".")
                folder = os.sep.join(packages)
                if name == last and packages and any(str(one).endswith(folder) for one in path or ()):
                    self.note(module)
                    return importlib.machinery.ModuleSpec(name, self, origin=self.library)
            return real(name, path, target)

        importlib.machinery.PathFinder.find_spec = classmethod(find_spec)

    def watch_extensions(self, path):
        """torch.utils.cpp_extension as it is, changed when it has run: few tests import it, and it takes a while."""
        spec = importlib.machinery.PathFinder.find_spec(EXTENSIONS, path)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            self.replace_loading(module)

        spec.loader.exec_module = exec_module
        return spec

    # What Python asks of a finder and a loader.

    def find_spec(self, name, path=None, target=None):
        if name == EXTENSIONS:
            return self.watch_extensions(path)
        if name not in self.modules:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, origin=self.library)
        spec.has_location = True
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        """Fills the module with the functions that PYBIND11_MODULE binds; one of TORCH_LIBRARY's alone has none."""
        import torch

        namespaces = (self.name, module.__name__.split(".")[-1])
        for operator in self.operators:
            namespace, _, function = operator.partition("::")
            if namespace in namespaces:
                function = function.split(".")[0]
                setattr(module, function, getattr(getattr(torch.ops, namespace), function))
        self.note(module.__name__)


def find_package(name):
    """A package that is neither installed nor at the top of the repository is looked for where many have it."""
    try:
        if importlib.util.find_spec(name) is not None:
            return
    except (ImportError, ValueError):
        return
    for folder in ("src", "python", "lib"):
        if os.path.isdir(os.path.join(folder, name)):
            sys.path.append(os.path.abspath(folder))
            return


def is_of_project(file, folders):
    """A source of the project, and not of what is installed into an environment in its folder."""
    if "site-packages" in file.split(os.sep):
        return False
    return any(file.startswith(folder + os.sep) for folder in folders)


def places_of(error, folders):
    """The lines of the project from the test to what raised, those of the errors that caused it included."""
    places = []
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        found = []
        for frame, line in traceback.walk_tb(error.__traceback__):
            file = os.path.realpath(frame.f_code.co_filename)
            if is_of_project(file, folders) and not frame.f_locals.get("__tracebackhide__", False):
                found.append({"file": file, "line": line, "name": frame.f_code.co_name})
        if isinstance(error, SyntaxError) and error.filename:
            file = os.path.realpath(error.filename)
            if is_of_project(file, folders):
                found.append({"file": file, "line": error.lineno or 1, "name": ""})
        places = found + places
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return [place for at, place in enumerate(places) if place not in places[:at]]


def outcome_of(reports):
    """pytest's word for a test, of the reports of its set-up, call and teardown."""
    outcome = "none"
    for report in reports:
        is_expected = hasattr(report, "wasxfail")
        if report.failed:
            # "???" is pytest-xdist's, of a worker that ended.
            return {"call": "failed", "???": "crashed"}.get(report.when, "error")
        if report.skipped:
            outcome = "xfailed" if is_expected else "skipped"
        elif report.when == "call":
            outcome = "xpassed" if is_expected else "passed"
    return outcome


def message_of(report):
    if report is None:
        return ""
    if hasattr(report, "wasxfail"):
        return report.wasxfail.removeprefix("reason: ")
    longrepr = report.longrepr
    if isinstance(longrepr, tuple):
        return str(longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(longrepr, "reprcrash", None)
    if crash is not None:
        return crash.message
    lines = [line for line in str(longrepr or "").strip().split("\n") if line.strip()]
    return lines[-1].removeprefix("E").strip() if lines else ""


def output_of(reports):
    sections = reports[-1].sections if reports else []
    return "\n".join(f"--- {name} ---\n{text.rstrip()}" for name, text in sections if text.strip())


class Reporter:
    def __init__(self, config, connection, recorder):
        self.connection = connection
        self.recorder = recorder
        self.root = str(config.rootpath)
        self.start = os.getcwd()
        self.folders = {os.path.realpath(self.root), os.path.realpath(self.start)}
        self.reports = {}

    def id_of(self, nodeid):
        """A node id whose file is relative to the folder that pytest was started in."""
        file, colons, rest = nodeid.partition("::")
        return os.path.relpath(os.path.join(self.root, file), self.start) + colons + rest

    def place_of(self, location):
        file, line, _ = location
        return {"file": os.path.normpath(os.path.join(self.root, file)), "line": (line or 0) + 1}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        if self.recorder is not None:
            self.recorder.test = self.id_of(item.nodeid)
        yield
        if self.recorder is not None:
            self.recorder.test = ""

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        result = yield
        if call.excinfo is not None:
            # The report may travel from a worker of pytest-xdist to here: plain data does.
            result.get_result().opsmith_places = places_of(call.excinfo.value, self.folders)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector):
        result = yield
        report = result.get_result()
        call = getattr(report, "call", None)
        if report.failed and call is not None and call.excinfo is not None:
            report.opsmith_places = places_of(call.excinfo.value, self.folders)

    def pytest_collection_finish(self, session):
        tests = [
            {"id": self.id_of(item.nodeid), **self.place_of(item.location)} for item in session.items
        ]
        self.connection.send("collected", tests=tests)

    def pytest_collectreport(self, report):
        if not report.failed:
            return
        test_id = self.id_of(report.nodeid)
        places = getattr(report, "opsmith_places", [])
        text = str(report.longrepr)
        error = next((line[1:].strip() for line in text.split("\n") if line.startswith("E ")), "")
        self.finished(
            test_id,
            {"file": os.path.abspath(test_id.split("::")[0]), "line": places[-1]["line"] if places else 0},
            "error",
            0,
            error or message_of(report),
            text,
            output_of([report]),
            places,
        )

    def pytest_runtest_logstart(self, nodeid, location):
        self.reports[nodeid] = []
        self.connection.send("started", id=self.id_of(nodeid), **self.place_of(location))

    def pytest_runtest_logreport(self, report):
        self.reports.setdefault(report.nodeid, []).append(report)

    def pytest_runtest_logfinish(self, nodeid, location):
        reports = self.reports.pop(nodeid, [])
        decisive = next((one for one in reports if one.failed), None)
        if decisive is None:
            decisive = next((one for one in reports if one.skipped or hasattr(one, "wasxfail")), None)
        is_failed = decisive is not None and decisive.failed
        self.finished(
            self.id_of(nodeid),
            self.place_of(location),
            outcome_of(reports),
            sum(report.duration for report in reports),
            message_of(decisive),
            decisive.longreprtext if is_failed else "",
            output_of(reports),
            getattr(decisive, "opsmith_places", []) if is_failed else [],
        )

    def finished(self, test_id, place, outcome, seconds, message, text, output, places):
        self.connection.send(
            "finished",
            test={
                "id": test_id,
                **place,
                "outcome": outcome,
                "seconds": seconds,
                "message": shortened(message),
                "text": shortened(text),
                "output": shortened(output),
                "places": places,
            },
        )

    def pytest_sessionfinish(self, session, exitstatus):
        # Tests in whose course a worker of pytest-xdist ended never finish.
        for nodeid, reports in list(self.reports.items()):
            if any(report.failed for report in reports):
                self.pytest_runtest_logfinish(nodeid, reports[-1].location)
        self.connection.send("ended", status=int(exitstatus))


def start():
    request = json.loads(os.environ["OPSMITH_PYTEST"])
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    connection = (WorkerConnection if is_worker else Connection)(request["socket"])
    replacement = Replacement(request["library"], request["name"], request["modules"], connection)
    try:
        replacement.load()
    except Exception as error:
        connection.send("refused", message=str(error))
        raise
    import torch

    connection.send("began", pytest=pytest.__version__, torch=str(torch.__version__))
    for module in request["modules"]:
        if "." in module:
            find_package(module.split(".")[0])
    recorder = None
    if request["recordsCalls"]:
        recorder = Recorder(replacement.operators, partial(connection.send, "called"))
        recorder.start()
    return connection, recorder


CONNECTION, RECORDER = start()


def pytest_configure(config):
    config.pluginmanager.register(Reporter(config, CONNECTION, RECORDER), "opsmith_reporter")
