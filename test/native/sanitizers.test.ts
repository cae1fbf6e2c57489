import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { CheckEntry } from '../../electron/contract/manifest'
import { sanitizerCheck } from '../../electron/contract/operator-check'
import type { OperatorCheckOutcome, PlacedFinding } from '../../electron/contract/operator-check'
import { unwrap } from '../../electron/contract/outcome'
import { findOnPath } from '../../electron/engine/toolchain/find-on-path'
import { describeCompiler } from '../../electron/engine/toolchain/compilers'
import { findSanitizerRuntime } from '../../electron/engine/toolchain/sanitizer-runtime'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()

/** What the sanitizers alone say of these operators, called with x. */
async function checked(folder: string, ops: readonly string[]): Promise<OperatorCheckOutcome[]> {
  const entries = ops.map((op): CheckEntry => ({
    op,
    args: ['x'],
    checks: [...sanitizerCheck.options],
    shapes: 1,
  }))
  return unwrap(await workbench.operatorChecks.runAll(folder, { timeout: 0 }, { entries }))
}

const failuresOf = (outcome: OperatorCheckOutcome | undefined): PlacedFinding[] =>
  outcome?.report?.findings.filter((finding) => finding.status === 'failed') ?? []

/** Source, file name and 1-based line of what a test looks for. */
function lineOf(folder: string, text: string): number {
  const source = fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8').split('\n')
  return source.findIndex((line) => line.includes(text)) + 1
}

describe('the sanitizers of the chosen compiler', () => {
  let folder: string
  const outcomes = new Map<string, OperatorCheckOutcome>()
  const names = ['read_past', 'write_past', 'use_after_free', 'halved']
  const quiet = ['doubled']
  const undefinedNames = ['signed_overflow', 'too_wide_shift']

  beforeAll(async () => {
    folder = copyProject(path.join(root, 'test/cases/sanitize/wrong_memory'), cache)
    const all = [...names, ...undefinedNames, ...quiet]
    const found = await checked(
      folder,
      all.map((name) => `wrong_memory::${name}`),
    )
    for (const outcome of found) outcomes.set(outcome.op.replace('wrong_memory::', ''), outcome)
  })

  it.each([
    ['read_past', 'read', 'from[i] + from[i + 1]', 'past the end of input x (24 bytes)'],
    ['write_past', 'write', 'to[i] = 1', 'past the end of a block of 24 bytes allocated at op.cpp'],
    ['halved', 'read', '[i + 1] * 0.5f', 'past the end of a block of 24 bytes'],
  ])('a heap-buffer-overflow is found in %s', (name, access, text, where) => {
    const [finding] = failuresOf(outcomes.get(name))
    expect(finding).toMatchObject({
      check: 'address_sanitizer',
      file: path.join(folder, 'op.cpp'),
      line: lineOf(folder, text),
      shownBy: '',
      sanitizer: { kind: 'heap-buffer-overflow', access, bytes: 4 },
    })
    expect(finding?.reason).toContain(where)
    expect(finding?.sanitizer?.stack[0]?.isUser).toBe(true)
  })

  it('the use of freed memory is found, with the place of its allocation', () => {
    const [finding] = failuresOf(outcomes.get('use_after_free'))
    expect(finding?.sanitizer).toMatchObject({ kind: 'heap-use-after-free', access: 'read' })
    expect(finding?.line).toBe(lineOf(folder, 'kept[0]'))
    const own = finding?.sanitizer?.allocated.find((frame) => frame.isUser)
    expect(own?.line).toBe(lineOf(folder, 'x.to(at::kFloat).mul(2)'))
  })

  it('signed overflow and a shift that is too wide are found at their lines', () => {
    const [overflow] = failuresOf(outcomes.get('signed_overflow'))
    expect(overflow).toMatchObject({
      check: 'undefined_behaviour_sanitizer',
      line: lineOf(folder, 'return value + 1;'),
      sanitizer: { kind: 'signed-integer-overflow' },
    })
    // The function that was inlined, and its caller.
    expect(overflow?.sanitizer?.stack.map((frame) => frame.line)).toEqual([
      lineOf(folder, 'return value + 1;'),
      lineOf(folder, 'next(std::numeric_limits'),
    ])
    const [shift] = failuresOf(outcomes.get('too_wide_shift'))
    expect(shift?.sanitizer?.kind).toMatch(/^invalid-shift/)
    expect(shift?.line).toBe(lineOf(folder, '<< 2 >> bits'))
  })

  it('a correct operator has no findings for any input', () => {
    const findings = outcomes.get('doubled')?.report?.findings ?? []
    expect(findings.map(({ check, status }) => [check, status])).toEqual([
      ['address_sanitizer', 'passed'],
      ['undefined_behaviour_sanitizer', 'passed'],
    ])
    expect(findings[0]?.reason).toMatch(/^nothing found in \d\d calls \(\d+ threw an exception\)$/)
  })

  it('the timed and the exported library stay unsanitized', async () => {
    expect(fs.existsSync(path.join(folder, 'build'))).toBe(false)
    const plain = unwrap(await workbench.builds.build(folder))
    const linked = fs.readFileSync(plain.library, 'latin1')
    expect(linked).not.toContain('__asan_')
    expect(unwrap(await workbench.sanitizedBuilds.buildOrFail(folder)).build.key).not.toBe(
      plain.key,
    )
    expect(fs.readFileSync(plain.library, 'latin1')).toBe(linked)
    expect(workbench.builds.lastBuild(folder)?.key).toBe(plain.key)
  })

  it('no logs and no processes stay behind', async () => {
    await expect.poll(() => fs.readdirSync(path.join(cache.folder, 'hosts'))).toEqual([])
  })
})

describe('a library that reads past an array while it is loaded', () => {
  it('the fault is reported although its op host crashes', async () => {
    const folder = copyProject(path.join(root, 'test/cases/sanitize/stable_memory'), cache)
    const wrong = [
      'static int* table = new int[4];',
      'static volatile int last = 4;',
      'static volatile int entry = table[last];\n',
    ]
    fs.appendFileSync(path.join(folder, 'op.cpp'), wrong.join('\n'))
    const [outcome] = await checked(folder, ['stable_memory::doubled'])
    expect(outcome?.verdict).toBe('failed')
    const [finding] = failuresOf(outcome)
    expect(finding).toMatchObject({
      shownBy: 'loading the library',
      line: lineOf(folder, 'table[last]'),
      sanitizer: { kind: 'heap-buffer-overflow', access: 'read' },
    })
    expect(finding?.reason).toContain('of 16 bytes allocated at op.cpp')
  })
})

const gcc = findOnPath('g++')

describe.skipIf(gcc === undefined)('the sanitizers of g++', () => {
  it('g++ finds the same faults, with its two separate runtimes', async () => {
    const folder = copyProject(path.join(root, 'test/cases/sanitize/stable_memory'), cache)
    const file = path.join(folder, 'opsmith.json')
    const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as object
    fs.writeFileSync(file, JSON.stringify({ ...manifest, toolchain: { compiler: gcc } }))
    const [past, overflow, right] = await checked(
      folder,
      ['read_past', 'counted', 'doubled'].map((name) => `stable_memory::${name}`),
    )
    expect(failuresOf(past)[0]).toMatchObject({
      check: 'address_sanitizer',
      input: 'x',
      line: lineOf(folder, 'from[i + 1]'),
      sanitizer: { kind: 'heap-buffer-overflow', access: 'read', bytes: 4 },
    })
    expect(failuresOf(overflow)[0]).toMatchObject({
      check: 'undefined_behaviour_sanitizer',
      line: lineOf(folder, 'return value + 1;'),
      sanitizer: { kind: 'signed-integer-overflow' },
    })
    expect(failuresOf(right)).toEqual([])
  })
})

describe('sanitizers that are missing or fail to build', () => {
  it('missing sanitizers are reported with the package that has them', async () => {
    const compiler = await describeCompiler(gcc ?? findOnPath('c++') ?? '')
    const fake = path.join(cache.home, 'g++')
    // As a compiler does that does not have the file.
    fs.writeFileSync(fake, '#!/bin/sh\necho "$1" | sed s/-print-file-name=//\n')
    fs.chmodSync(fake, 0o755)
    const found = await findSanitizerRuntime({ ...compiler!, path: fake })
    expect(found.ok ? {} : found.error).toMatchObject({
      code: 'toolchain.missing',
      hint: expect.stringContaining(`libgcc-${compiler!.major}-dev`) as string,
    })
    const clang = { ...compiler!, family: 'clang' as const, major: 19, path: fake }
    const other = await findSanitizerRuntime(clang)
    expect(other.ok ? '' : other.error.hint).toContain('libclang-rt-19-dev')
  })

  it('a failing sanitized build skips its checks with the reason', async () => {
    const folder = copyProject(path.join(root, 'test/cases/sanitize/stable_memory'), cache)
    const source = path.join(folder, 'op.cpp')
    const guard = '#if __has_feature(address_sanitizer)\n#error not with sanitizers\n#endif\n'
    fs.writeFileSync(source, guard + fs.readFileSync(source, 'utf8'))
    const [outcome] = await checked(folder, ['stable_memory::doubled'])
    const findings = outcome?.report?.findings ?? []
    expect(findings.map((finding) => finding.status)).toEqual(['skipped', 'skipped'])
    expect(findings[0]?.reason).toContain('not with sanitizers')
  })
})
