"""Prints as JSON what CMake needs to know of this Python and of a folder's pyproject.toml. Nothing is imported of either.

    python3 describe_cmake.py FOLDER

"prefixes" are folders for CMAKE_PREFIX_PATH: torch's CMake package and pybind11's. "pyproject" is null where there
is no pyproject.toml that scikit-build-core builds, or where this Python has no module that reads TOML.
"""

import importlib
import importlib.util
import json
import os
import sys


def package_prefixes():
    found = []
    for package in ("torch", "pybind11"):
        spec = importlib.util.find_spec(package)
        for place in (spec and spec.submodule_search_locations) or []:
            prefix = os.path.join(place, "share", "cmake")
            if os.path.isdir(prefix):
                found.append(prefix)
    return found


def toml_reader():
    for name in ("tomllib", "tomli", "pip._vendor.tomli"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def definition_text(value):
    """A value of cmake.define as scikit-build-core gives it to CMake; None for a variable that is not set."""
    if isinstance(value, dict):
        default = value.get("default")
        text = os.environ.get(str(value.get("env", "")))
        return text if text is not None or default is None else definition_text(default)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, list):
        return ";".join(str(one) for one in value)
    return str(value)


def read_pyproject(folder):
    reader = toml_reader()
    if reader is None:
        return None
    try:
        with open(os.path.join(folder, "pyproject.toml"), "rb") as file:
            content = reader.load(file)
    except (OSError, ValueError):
        return None
    if not str(content.get("build-system", {}).get("build-backend", "")).startswith("scikit_build_core"):
        return None
    project = content.get("project", {})
    settings = content.get("tool", {}).get("scikit-build", {})
    cmake = settings.get("cmake", {})
    definitions = {name: definition_text(value) for name, value in cmake.get("define", {}).items()}
    return {
        "name": str(project.get("name", "")),
        "version": str(project.get("version", "")),
        "sourceFolder": str(cmake.get("source-dir", ".")),
        "buildType": str(cmake.get("build-type", "Release")),
        "arguments": [str(one) for one in cmake.get("args", [])],
        "definitions": {name: text for name, text in definitions.items() if text is not None},
    }


def main():
    # Our own folder is first on the path: a package of the same name would be found there.
    sys.path.pop(0)
    print(json.dumps({"prefixes": package_prefixes(), "pyproject": read_pyproject(sys.argv[1])}))


if __name__ == "__main__":
    main()
