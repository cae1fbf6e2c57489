# What torch.autograd.gradcheck, gradgradcheck and torch.library.opcheck say of operators, asked in
# copies of this process: a check that ends its process has a verdict too. Begins with
# makeInputsInPython. Reads {"libraries", "jobs"} from the file that it is given, a job being the checks
# that share a copy, and prints {"ok", "message", "ended"} by key: `ended` is how the copy's process
# ended, "" when it answered.
import collections
import json
import os
import signal
import sys
import tempfile
import time
import warnings

PATIENCE = 60  # seconds for one check


def function_of(op):
    namespace, name = op.split("::")
    name, _, overload = name.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), name), overload or "default")


def tensors_in(value, tensors):
    """The tensors that an argument names, in order, lists flattened."""
    if isinstance(value, list):
        return [tensor for one in value for tensor in tensors_in(one, tensors)]
    return [tensors[value]] if isinstance(value, str) and value in tensors else []


def filled(value, tensors, given):
    """An argument with the names of tensors exchanged for the next of `given`."""
    if isinstance(value, list):
        return [filled(one, tensors, given) for one in value]
    return given.pop(0) if isinstance(value, str) and value in tensors else value


def gradcheck(case, check):
    tensors = make_inputs(case["inputs"])
    function = function_of(case["op"])

    def call(*inputs):
        given = list(inputs)
        result = function(*[filled(arg, tensors, given) for arg in case["args"]])
        return tuple(result) if isinstance(result, list) else result

    torch.manual_seed(0)
    return check(call, tuple(tensors_in(case["args"], tensors)), **case["options"])


def opcheck(case):
    tensors = make_inputs(case["inputs"])
    args = filled(case["args"], tensors, tensors_in(case["args"], tensors))
    torch.library.opcheck(function_of(case["op"]), tuple(args), test_utils=case["check"])
    return True


def answer(case):
    try:
        if case["check"] in ("gradcheck", "gradgradcheck"):
            ok = gradcheck(case, getattr(torch.autograd, case["check"]))
        else:
            ok = opcheck(case)
        return {"ok": ok, "message": "", "ended": ""}
    except Exception as error:
        return {"ok": False, "message": str(error)[:4000] or type(error).__name__, "ended": ""}


class Copy:
    """A copy of the process that makes the checks of a job, one after the other."""

    def __init__(self, job):
        self.job = job
        self.answers = tempfile.TemporaryFile()
        self.grown, self.size = time.monotonic(), 0
        self.process = os.fork()
        if self.process > 0:
            return
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what glibc says of a damaged heap
        for case in job:
            self.answers.write(json.dumps(answer(case)).encode() + b"\n")
            self.answers.flush()
        os._exit(0)

    def ended(self):
        """How it ended: None while it runs, "" when it had made all checks."""
        done, status = os.waitpid(self.process, os.WNOHANG)
        if done:
            return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else ""
        size, now = os.fstat(self.answers.fileno()).st_size, time.monotonic()
        if size > self.size:
            self.grown, self.size = now, size
        if now - self.grown < PATIENCE:
            return None
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        return "no answer"

    def read(self):
        self.answers.seek(0)
        return [json.loads(line) for line in self.answers.read().splitlines()]


def make(jobs, at_a_time):
    waiting, running, answers = collections.deque(jobs), [], {}
    while waiting or running:
        while waiting and len(running) < at_a_time:
            running.append(Copy(waiting.popleft()))
        time.sleep(0.01)
        for copy in list(running):
            ended = copy.ended()
            if ended is None:
                continue
            running.remove(copy)
            given = copy.read()
            for case, one in zip(copy.job, given):
                answers[case["key"]] = one
            left = copy.job[len(given):]
            if left:
                answers[left[0]["key"]] = {"ok": False, "message": "", "ended": ended}
            if left[1:]:
                waiting.append(left[1:])
    return answers


warnings.simplefilter("ignore")
torch.set_num_threads(1)
with open(sys.argv[1]) as file:
    asked = json.load(file)
for library in asked["libraries"]:
    torch.ops.load_library(library)
# Imports what the checks need, once for all copies: the first check in forward mode takes half a second.
ones = torch.ones(2, dtype=torch.float64, requires_grad=True)
torch.library.opcheck(torch.ops.aten.sin.default, (ones,))
torch.autograd.gradcheck(
    torch.sin,
    (ones,),
    check_forward_ad=True,
    check_batched_grad=True,
    check_batched_forward_grad=True,
)
torch.autograd.gradgradcheck(torch.sin, (ones,), check_fwd_over_rev=True)
print(json.dumps(make(asked["jobs"], os.cpu_count() or 1)))
