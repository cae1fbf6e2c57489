"""Records the calls that a process makes of some operators, in the form of calls in opsmith.json."""

import json
import numbers

# Values of a tensor are kept up to so many elements: those of indices and those that somebody wrote matter.
MOST_FLOATS = 16
MOST_INTEGERS = 1000
# Of each operator; a test may call one in a loop.
MOST_CALLS = 20
# JavaScript, which reads opsmith.json, rounds integers beyond.
LARGEST_INTEGER = 2**53
# Those of opsmith.json's inputs.
DTYPES = "float64 float32 float16 bfloat16 complex64 complex128 int64 int32 int16 int8 uint8 bool".split()
DEVICES = ("cpu", "cuda", "privateuseone")


class Unwritable(Exception):
    """opsmith.json has no way to write an argument; the text says which."""


class WithoutValues(Exception):
    """The tensors of a call have no values: torch.compile, opcheck or vmap makes the call while it traces."""


def check_has_values(tensor):
    import torch

    is_plain = type(tensor) in (torch.Tensor, torch.nn.Parameter)
    is_wrapped = is_plain and torch._C._functorch.is_functorch_wrapped_tensor(tensor)
    if not is_plain or is_wrapped or tensor.device.type == "meta":
        raise WithoutValues


def written_floats(tensor):
    """The values if they have few digits, as numbers that somebody wrote; None for others, such as random numbers."""
    import torch

    digits = 4 if tensor.dtype in (torch.float32, torch.float64) else 2
    short = [float(f"{value:.{digits}g}") for value in tensor.flatten().tolist()]
    written = torch.tensor(short, dtype=torch.float64).to(tensor.dtype).reshape(tensor.shape)
    if not torch.equal(written.nan_to_num(), tensor.nan_to_num()):
        return None
    return json.loads(in_json(torch.tensor(short, dtype=torch.float64).reshape(tensor.shape).tolist()))


def spread_of_floats(values):
    """A distribution that is as wide as the values are; torch.rand() and torch.randn() are recognised."""
    count = values.numel()
    finite = values[values.isfinite()]
    if finite.numel() < 2:
        return {"distribution": "randn"}
    low, high, mean, std = (
        float(f"{float(one):.3g}") for one in (finite.min(), finite.max(), finite.mean(), finite.std())
    )
    if low == high:
        return {"distribution": "full", "low": low}
    # Four standard errors of the mean, and of the standard deviation.
    if low >= 0:
        is_rand = high <= 1 and abs(mean - 0.5) <= 4 * (1 / 12 / count) ** 0.5
        return {"distribution": "rand", **({} if is_rand else {"low": low, "high": high})}
    if abs(mean) <= 4 * std / count**0.5 and abs(std - 1) <= 4 / (2 * count) ** 0.5:
        return {"distribution": "randn"}
    return {"distribution": "randn", "mean": mean, "std": std}


def spread_of_integers(values):
    import torch

    values = values.to(torch.int64).flatten()
    low, high = int(values.min()), int(values.max())
    if low == high:
        return {"distribution": "full", "low": low}
    if torch.equal(values, torch.arange(low, low + values.numel())):
        return {"distribution": "arange", "low": low}
    if bool((values[1:] >= values[:-1]).all()):
        # Offsets, for example: other numbers would be no offsets, and an operator may crash on them.
        raise Unwritable(f"{values.numel()} sorted integers (at most {MOST_INTEGERS} are possible)")
    return {"distribution": "randint", "low": low, "high": high + 1}


def described_tensor(tensor):
    """A tensor as an input of opsmith.json: with values if it is small or holds indices, else with a distribution."""
    import torch

    check_has_values(tensor)
    if tensor.layout != torch.strided:
        raise Unwritable(f"a tensor of layout {str(tensor.layout).removeprefix('torch.')}")
    spec = {"shape": list(tensor.shape), "dtype": str(tensor.dtype).removeprefix("torch.")}
    if spec["dtype"] not in DTYPES:
        raise Unwritable(f"a tensor of dtype {spec['dtype']}")
    if tensor.device.type not in DEVICES:
        raise Unwritable(f"a tensor on {tensor.device.type}")
    if tensor.device.type != "cpu":
        spec["device"] = tensor.device.type
    if tensor.requires_grad:
        spec["requires_grad"] = True
    if tensor.numel() == 0:
        return {**spec, "distribution": "zeros"}
    if tensor.is_complex():
        return {**spec, "distribution": "randn"}
    values = tensor.detach().cpu()
    if tensor.is_floating_point():
        written = written_floats(values) if tensor.numel() <= MOST_FLOATS else None
        if written is None:
            return {**spec, **spread_of_floats(values.double())}
        return {**spec, "values": written}
    if tensor.dtype != torch.bool and int(values.abs().max()) > LARGEST_INTEGER:
        raise Unwritable("integers above 2^53")
    if tensor.numel() > MOST_INTEGERS:
        return {**spec, **spread_of_integers(values)}
    return {**spec, "values": values.tolist()}


def in_json(values):
    """JSON with "inf", "-inf" and "nan" as strings, as in opsmith.json."""
    text = json.dumps(values)
    for given, written in (("-Infinity", '"-inf"'), ("Infinity", '"inf"'), ("NaN", '"nan"')):
        text = text.replace(given, written)
    return text


def described(value):
    import torch

    if isinstance(value, torch.Tensor):
        return {"tensor": described_tensor(value)}
    if value is None or isinstance(value, (bool, str)):
        return {"value": value}
    if isinstance(value, numbers.Integral) and abs(int(value)) <= LARGEST_INTEGER:
        return {"value": int(value)}
    if isinstance(value, numbers.Real) and value - value == 0:
        return {"value": float(value)}
    if isinstance(value, (list, tuple)):
        return {"list": [described(one) for one in value]}
    raise Unwritable(f"{type(value).__name__} {value}"[:200])


def overload_of(function, args, kwargs):
    """The overload that runs: the one that accepts these arguments."""
    import torch

    if isinstance(function, torch._ops.OpOverload):
        return function
    names = function.overloads()
    if len(names) > 1:
        return getattr(function, torch._C._jit_resolve_packet(function._qualified_op_name, *args, **kwargs))
    return getattr(function, names[0])


def positional(schema, args, kwargs):
    """The arguments by name, in the order of the schema, up to the last one that was given."""
    names = [argument.name for argument in schema.arguments]
    given = dict(zip(names, args))
    given.update(kwargs)
    last = max((names.index(name) for name in given), default=-1)
    return [
        (argument.name, given.get(argument.name, argument.default_value))
        for argument in schema.arguments[: last + 1]
    ]


def kind_of(call):
    """A text that is equal for calls that differ only in the values of tensors."""

    def without_values(value):
        if isinstance(value, list):
            return [without_values(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "tensor" in value:
            kept = ("shape", "dtype", "device", "requires_grad")
            return [value["tensor"].get(name) for name in kept]
        return {name: without_values(one) for name, one in value.items()}

    return json.dumps([call["op"], call["why"], without_values(call["arguments"])])


class Recorder:
    """Sends the calls that Python makes of some operators, each kind of call once, while `test` names a test."""

    def __init__(self, operators, send):
        """`operators` as the dispatcher names them: "my_ops::add", "my_ops::add.out"."""
        self.operators = {operator.split(".")[0] for operator in operators}
        self.send = send
        self.known = {}
        self.test = ""

    def start(self):
        """Patches the classes of operators. A torch mode would interfere with torch.compile and other modes."""
        import torch

        def recording(call):
            def record_and_call(function, /, *args, **kwargs):
                __tracebackhide__ = True
                # Before the call, which may write to its arguments; after it, a call that raised is none to keep.
                noted = self.read(function, args, kwargs)
                result = call(function, *args, **kwargs)
                if noted is not None:
                    self.keep(noted)
                return result

            return record_and_call

        for kind in (torch._ops.OpOverloadPacket, torch._ops.OpOverload):
            kind.__call__ = recording(kind.__call__)

    def read(self, function, args, kwargs):
        """The call as it is reported; None where it is not one to record."""
        import torch
        from torch.utils._python_dispatch import _disable_current_modes

        is_overload = isinstance(function, torch._ops.OpOverload)
        name = function._schema.name if is_overload else function._qualified_op_name
        if name not in self.operators or self.test == "":
            return None
        call = {"op": name, "arguments": [], "why": ""}
        try:
            with _disable_current_modes(), torch._C.DisableTorchFunction():
                schema = overload_of(function, args, kwargs)._schema
                call["op"] = f"{name}.{schema.overload_name}" if schema.overload_name else name
                call["arguments"] = [
                    {"name": key, "given": described(value)}
                    for key, value in positional(schema, args, kwargs)
                ]
        except WithoutValues:
            return None
        except Unwritable as error:
            call["why"] = str(error)
        except Exception as error:
            # The call itself says what is wrong with its arguments.
            call["why"] = f"arguments that could not be read: {type(error).__name__}: {error}"[:500]
        return call

    def keep(self, call):
        known = self.known.setdefault(call["op"], set())
        kind = kind_of(call)
        if kind in known or len(known) >= MOST_CALLS:
            return
        known.add(kind)
        self.send(call={"test": self.test, **call})
