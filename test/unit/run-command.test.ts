import os from 'node:os'

import { describe, expect, it } from 'vitest'

import { runProcess } from '../../electron/engine/toolchain/run-command'

const limits = { seconds: 20, outputBytes: 1000, memoryBytes: 0 }

describe('child processes', () => {
  it('a child process gives its output and exit code', async () => {
    const result = await runProcess('/bin/sh', ['-c', 'echo out; echo err >&2; exit 3'])
    expect(result).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
  })

  it('cancelling ends the whole tree of processes', async () => {
    const controller = new AbortController()
    // If only the child were killed, the grandchild would hold the pipe open for longer than this test may take.
    const running = runProcess('/bin/sh', ['-c', 'echo $$; sleep 600 & sleep 600'], {
      limits: { ...limits, seconds: 1000 },
      signal: controller.signal,
      onOutput: () => {
        controller.abort()
      },
    })
    const result = await running
    expect(result.stopped).toBe('cancelled')
  })

  it('a child process that nobody waits for has a lower priority, and so have its own children', async () => {
    const inFront = await runProcess('/bin/sh', ['-c', 'nice'])
    // It has its priority a moment after it began.
    const script = ['-c', 'until [ "$(nice)" = 10 ]; do sleep 0.1; done; nice']
    const behind = await runProcess('/bin/sh', script, { isBackground: true })
    expect(Number(inFront.stdout)).toBe(os.getPriority())
    expect(Number(behind.stdout)).toBe(10)
  })

  it('a child process is ended at its time limit', async () => {
    const result = await runProcess('sleep', ['60'], { limits: { ...limits, seconds: 0.2 } })
    expect(result).toMatchObject({ exitCode: null, stopped: 'timeout' })
  })

  it('long output is cut', async () => {
    const result = await runProcess('/bin/sh', ['-c', 'yes | head -c 1000000'], { limits })
    expect(result.truncated).toBe(true)
    expect(result.exitCode).toBe(0)
  })

  it('a child process gets no more memory than its limit', async () => {
    const result = await runProcess('python3', ['-c', 'x = bytearray(1 << 30)'], {
      limits: { ...limits, memoryBytes: 512 << 20 },
    })
    expect(result.exitCode).not.toBe(0)
  })

  it('a program that does not exist has an error of its own', async () => {
    expect(await runProcess('/no/such/compiler', [])).toMatchObject({ stopped: 'not-found' })
  })
})
