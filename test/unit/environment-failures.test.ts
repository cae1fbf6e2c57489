import { describe, expect, it } from 'vitest'

import { explainLog } from '../../electron/engine/doctor/environment-failures'

const machine = { freeMemory: 10 * 2 ** 30, cores: 16 }
const only = (log: string): ReturnType<typeof explainLog>[number] => {
  const [first, ...others] = explainLog(log, machine)
  expect(others).toEqual([])
  if (!first) throw new Error(`no failure is found in ${log}`)
  return first
}

describe('a failure of the environment is found in a log, and has a command', () => {
  it('CUDA of another version', () => {
    const found = only(
      'RuntimeError: \nThe detected CUDA version (12.4) mismatches the version that was used to compile\nPyTorch (11.8). Please make sure to use the same CUDA versions.\n',
    )
    expect(found.line).toBe(2)
    expect(found.cause).toContain('nvcc is from CUDA 12.4, but torch was built with CUDA 11.8')
    expect(found.command).toBe('CUDA_HOME=/usr/local/cuda-11.8 pip install --no-build-isolation .')
  })

  it('build isolation that hides torch, and not a missing torch elsewhere', () => {
    const error = "ModuleNotFoundError: No module named 'torch'"
    expect(
      only(
        `× Getting requirements to build wheel did not run successfully.\n  File "/tmp/pip-build-env-1/overlay/setuptools/build_meta.py", line 334\n${error}`,
      ).command,
    ).toContain('--no-build-isolation')
    expect(explainLog(`Traceback (most recent call last):\n${error}`, machine)).toEqual([])
  })

  it('symbols of another torch, in a package and in the JIT cache', () => {
    const symbol = 'undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs'
    expect(only(`ImportError: /env/lib/my_op/_C.so: ${symbol}`).command).toContain(
      '--force-reinstall',
    )
    expect(
      only(`ImportError: /cache/torch_extensions/py311_cu121/my_op/my_op.so: ${symbol}`).command,
    ).toBe('rm -rf /cache/torch_extensions/py311_cu121/my_op')
    expect(explainLog('ImportError: /x/_C.so: undefined symbol: cblas_gemm', machine)).toEqual([])
  })

  it('no GPU to choose an architecture by', () => {
    const log = `  File "cpp_extension.py", line 2714, in _get_cuda_arch_flags\n    arch_list[-1] += '+PTX'\nIndexError: list index out of range`
    expect(only(log).command).toContain('TORCH_CUDA_ARCH_LIST')
    expect(explainLog('IndexError: list index out of range', machine)).toEqual([])
  })

  it('compilers that took all memory, with as many jobs as fit', () => {
    for (const line of [
      "nvcc error   : 'cicc' died due to signal 9 (Kill signal)",
      'c++: fatal error: Killed signal terminated program cc1plus',
    ])
      expect(only(`[3/9] nvcc a.cu\n${line}`).command).toBe(
        'MAX_JOBS=2 pip install --no-build-isolation .',
      )
  })

  it('a lock that a killed build left', () => {
    expect(
      only(
        'UserWarning: Waited on lock file "/c/torch_extensions/py311_cpu/op/lock" for 60 seconds.',
      ).command,
    ).toBe('rm -f /c/torch_extensions/py311_cpu/op/lock')
    const stopped = `Using /c/torch_extensions/py311_cpu as PyTorch extensions root\n  File "/env/torch/utils/file_baton.py", line 57, in wait\nKeyboardInterrupt`
    expect(only(stopped).command).toContain('/lock')
  })

  it.each([
    [
      'In file included from /usr/include/python3.11/x\nop.cpp:1:10: fatal error: Python.h: No such file or directory',
      'sudo apt-get install python3.11-dev',
    ],
    ["ImportError: /lib/libc.so.6: version `GLIBC_2.34' not found (required by _C.so)", 'pip'],
    ["/usr/lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found", 'libstdcxx-ng'],
    [
      'RuntimeError: CUDA error: no kernel image is available for execution on the device',
      'compute_cap',
    ],
    ['OSError: CUDA_HOME environment variable is not set. Please set it', 'CUDA_HOME='],
    ['#error -- unsupported GNU version! gcc versions later than 13 are not supported!', 'gcc-13'],
    ["nvcc fatal   : Unsupported gpu architecture 'compute_120'", 'TORCH_CUDA_ARCH_LIST'],
    ['RuntimeError: Ninja is required to load C++ extensions (pip install ninja)', 'ninja'],
  ])('%s', (log, command) => {
    const found = only(log)
    expect(found.command).toContain(command)
    expect(`${found.cause} ${found.remedy}`).toMatch(/\.$/)
  })

  it('several are listed by line, each once', () => {
    const log = 'Killed\nKilled\nnote\nfatal error: Python.h: No such file or directory'
    expect(explainLog(log, machine).map(({ line }) => line)).toEqual([1, 4])
  })
})
