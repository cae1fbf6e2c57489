const importsOfSupport = `"""Calls that were recorded at the export: their arguments and results."""

from pathlib import Path

import torch
`

const support = `
DATA = Path(__file__).parent / "data"


def arguments_of(name):
    """The arguments of a recorded call, as they were before the call."""
    return torch.jit.load(DATA / f"{name}.pt").arguments


def flatten(value):
    """The values of nested tuples and lists of tensors, in order."""
    if not isinstance(value, (tuple, list)):
        return [value]
    if all(isinstance(one, (int, float)) for one in value):
        return [value]
    return [part for one in value for part in flatten(one)]


def results_of(function, recorded):
    """The results of a call. If it returns nothing: the arguments that it writes to."""
    arguments = recorded.arguments
    result = function(*arguments)
    if hasattr(recorded, "written"):
        result = [arguments[place] for place in recorded.written]
    return flatten(result)


def check_call(function, name, rtol=None, atol=None):
    """Replays a recorded call; the results must match within the tolerance."""
    recorded = torch.jit.load(DATA / f"{name}.pt")
    results = results_of(function, recorded)
    expected = list(recorded.results)
    assert len(results) == len(expected), f"{len(results)} results, not {len(expected)}"
    exact = True
    for actual, wanted in zip(results, expected):
        if isinstance(wanted, torch.Tensor):
            actual = actual.detach()
            exact &= actual.dtype == wanted.dtype and torch.equal(actual, wanted)
            torch.testing.assert_close(
                actual, wanted, rtol=rtol, atol=atol, equal_nan=True
            )
        else:
            assert actual == wanted, f"{actual}, not {wanted}"
    print(f"{name}: matches {'bit for bit' if exact else 'within the tolerance'}")
`

const gradientSupport = `

def check_gradients(check, function, name, **options):
    """torch.autograd.gradcheck or gradgradcheck; the error reports the mismatch."""
    torch.manual_seed(0)
    try:
        check(function, arguments_of(name), **options)
    except GradcheckError as error:
        raise AssertionError(f"{check.__name__}: {error}") from None
`

/** recorded.py, which the tests import. */
export function recordedSource(checksGradients: boolean): string {
  return checksGradients
    ? `${importsOfSupport}from torch.autograd.gradcheck import GradcheckError\n${support}${gradientSupport}`
    : importsOfSupport + support
}
