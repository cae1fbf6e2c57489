import { describe, expect, it } from 'vitest'

import { lastWords } from '../../electron/engine/project-export/proof/last-words'

/** What python -m unittest wrote of a call that gave something else; shortened. */
const unittest = `$ python -m unittest -v test_calls
test_call_1 (test_calls.Calls.test_call_1)
my_op::my_op(x, y) ... FAIL

======================================================================
FAIL: test_call_1 (test_calls.Calls.test_call_1)
my_op::my_op(x, y)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "tests/test_calls.py", line 14, in test_call_1
    check_call(torch.ops.my_op.my_op, "call-1-my_op")
  File "tests/recorded.py", line 34, in check_call
    torch.testing.assert_close(actual, wanted, rtol=rtol, atol=atol, equal_nan=True)
AssertionError: Tensor-likes are not close!

Mismatched elements: 32 / 32 (100.0%)
Greatest absolute difference: 4.2 at index (1, 2) (up to 1e-07 allowed)

----------------------------------------------------------------------
Ran 1 test in 0.004s

FAILED (failures=1)
`

describe('the line of a log that names the failure', () => {
  it('a failed Python test gives its exception with the call and the message, not the count of failures', () => {
    expect(lastWords(unittest)).toBe(
      'test_call_1, my_op::my_op(x, y): AssertionError: Tensor-likes are not close! ' +
        'Mismatched elements: 32 / 32 (100.0%) Greatest absolute difference: 4.2 at index (1, 2) (up to 1e-07 allowed)',
    )
  })

  it('a failed gradient check is named without its Jacobians, with the number of others that failed', () => {
    const failed = (name: string, text: string): string[] => [
      '='.repeat(70),
      `FAIL: ${name} (test_gradients.Gradients.${name})`,
      text,
      '-'.repeat(70),
      'Traceback (most recent call last):',
      '  File "tests/recorded.py", line 52, in check_gradients',
      '    raise AssertionError(f"{check.__name__}: {error}") from None',
      'AssertionError: gradcheck: Jacobian mismatch for output 0 with respect to input 0,',
      'numerical:tensor([[2.0, 0.0]])',
      'analytical:tensor([[1.0, 0.0]])',
      '',
    ]
    const log = [
      ...failed('test_gradcheck_1', 'a::f(x)'),
      ...failed('test_gradcheck_2', 'a::f(x), fast_mode'),
      '-'.repeat(70),
      'Ran 2 tests in 0.1s',
    ]
    expect(lastWords(log.join('\n'))).toBe(
      'test_gradcheck_2, a::f(x), fast_mode: AssertionError: gradcheck: Jacobian mismatch for output 0 with respect to input 0, (other failed tests: 1)',
    )
  })

  it('the last of several exceptions is given, with any name and at any depth', () => {
    const chained = [
      'Traceback (most recent call last):',
      '  File "a.py", line 1, in f',
      'KeyError: 1',
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      'Traceback (most recent call last):',
      '  File "a.py", line 3, in f',
      '    raise Fault("of ours")',
      '    ^^^^^^^^^^^^^^^^^^^^^^',
      'a.Fault: of ours',
    ]
    expect(lastWords([...chained, 'done'].join('\n'))).toBe('a.Fault: of ours')
    const inPip = chained.map((line) => `      ${line}`)
    expect(lastWords([...inPip, 'ERROR: Failed to build'].join('\n'))).toBe('a.Fault: of ours')
  })

  it.each([
    ['op.cpp:3:10: fatal error: missing.h: No such file or directory', 'a compiler'],
    ['ld.lld: error: undefined reference to `f()`', 'a linker'],
    ['OSError: libx.so: undefined symbol: _Z1fv', 'the loader'],
  ])('"%s" from %s is given, whatever exception Python raised after it', (line) => {
    const log = `${line}\n${unittest}`
    expect(lastWords(log)).toBe(line)
  })

  it('the last error without a traceback is given, else the last line', () => {
    expect(lastWords('npm ERR! Error: 13 is refused\nbye\n')).toBe('npm ERR! Error: 13 is refused')
    expect(lastWords('one\ntwo\n\n')).toBe('two')
    expect(lastWords('Traceback (most recent call last):\n  File "a.py"')).toBe('File "a.py"')
    expect(lastWords('')).toBe('')
  })
})
