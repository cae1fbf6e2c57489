import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { setExports, setInputs, setToolchain } from '../../electron/engine/project/edit-manifest'
import { manifestJsonSchema } from '../../electron/engine/project/manifest-schema'
import { parseManifest, readManifest } from '../../electron/engine/project/read-manifest'

const fixed = `{
  "name": "my_op", // comments are welcome
  "sources": ["op.cpp"],
  "functions": [],
  "includePaths": [], "cflags": [], "cudaCflags": [], "ldflags": [], "pkgConfig": [],
  "autograd": [{ "name": "my_op", "forward": "forward", "backward": "backward",
                 "backwardArgs": ["grad:0"], "gradients": ["x", "y"] }],
  "program": "program.py",
  "inputs": { "x": { "shape": [4, 8], "dtype": "float64", "device": "cpu", "distribution": "randn", "seed": 0, "requires_grad": true } },
  "calls": [{ "op": "my_op::my_op", "args": ["x", "y"], "reference": "3 * x - y" }],
  "gradchecks": [{ "op": "my_op::my_op", "args": ["x", "y"], "eps": 1e-6 }],
}`

function problem(text: string): {
  message: string
  path?: string | undefined
  line?: number | undefined
} {
  const result = parseManifest(text, '/p/opsmith.json')
  if (result.ok) throw new Error('expected a problem')
  expect(result.error.code).toBe('project.invalid')
  return result.error
}

describe('reading opsmith.json', () => {
  it('the published keys, comments and a trailing comma are accepted', () => {
    const result = parseManifest(fixed, '/p/opsmith.json')
    expect(result.ok && result.value.autograd[0]?.backwardArgs).toEqual(['grad:0'])
    expect(result.ok && result.value.gradchecks[0]?.['eps']).toBe(1e-6)
  })

  it('an unknown key is reported with its path and line', () => {
    const error = problem('{\n "name": "a",\n "sources": ["op.cpp"],\n "sorces": []\n}')
    expect(error).toMatchObject({ path: 'sorces', line: 4 })
  })

  it('a wrong field deep inside is reported with its path', () => {
    const error = problem(fixed.replace('[4, 8]', '[4, "8"]'))
    expect(error.path).toBe('inputs.x.shape[1]')
    expect(error.line).toBe(9)
  })

  it('an unknown key of an input is named', () => {
    expect(problem(fixed.replace('"seed": 0', '"sead": 0')).path).toBe('inputs.x.sead')
  })

  it('a missing field is named', () => {
    expect(problem('{ "sources": ["op.cpp"] }').path).toBe('name')
  })

  it('a name that is no C identifier is refused', () => {
    expect(problem('{ "name": "my-op", "sources": ["op.cpp"] }').message).toContain('C identifier')
  })

  it('an unknown export form or lint gets a list of the known ones', () => {
    const form = problem('{ "name": "a", "sources": ["op.cpp"], "exports": ["wheel"] }')
    expect(form.path).toBe('exports[0]')
    expect(form.message).toMatch(/there is no export form "wheel"; choose from addon, .*stable/)
    const lint = problem('{ "name": "a", "sources": ["op.cpp"], "lints": { "none": false } }')
    expect(lint.path).toBe('lints.none')
    expect(lint.message).toMatch(/there is no lint "none"; choose from .*opsmith-from-blob/)
  })

  it('broken JSON is reported with its place, in words', () => {
    const comma = problem('{\n "name": "a"\n "sources": []}')
    expect(comma).toMatchObject({
      line: 3,
      message: 'opsmith.json is not valid JSON: a comma is missing before this place.',
    })
    expect(problem('{ "name": "a", "sources": ["op.cpp"').message).toBe(
      'opsmith.json is not valid JSON: a closing ] is missing.',
    )
    expect(problem("{ 'name': 'a' }").message).toMatch(/not valid JSON: .*double quotes/)
  })

  it('a mistyped key is reported together with the correct key and what is missing', () => {
    expect(problem('{ "name": "a", "sauces": ["op.cpp"] }').path).toBe('sauces')
    expect(problem('{ "name": "a" }').message).toBe(
      'opsmith.json, sources: this key is missing; the value must be an array.',
    )
  })

  it('a missing folder, a file and a folder without opsmith.json get different errors', async () => {
    const said = async (folder: string): Promise<string> => {
      const result = await readManifest(folder)
      return result.ok ? '' : result.error.message
    }
    expect(await said('/nowhere/at/all')).toBe('There is no folder /nowhere/at/all.')
    expect(await said(__filename)).toMatch(/is a file, not the folder/)
    expect(await said(__dirname)).toMatch(/contains no opsmith\.json/)
  })

  it.each([
    [
      'a key that is given twice',
      '{ "name": "a", "sources": ["b.cpp"],\n "name": "c" }',
      /^opsmith\.json, name: this key is given twice/,
      2,
    ],
    [
      'a key given twice deep inside',
      fixed.replace('"seed": 0', '"seed": 0, "seed": 1'),
      /inputs\.x\.seed: this key is given twice/,
      9,
    ],
    [
      '__proto__',
      '{ "name": "a", "sources": ["b.cpp"], "__proto__": {} }',
      /__proto__: this name is not allowed as a key/,
      1,
    ],
    [
      'JSON nested 5,000 deep',
      `{ "name": "a",\n "inputs": ${'['.repeat(5000)}`,
      /nested more than 100 levels deep/,
      2,
    ],
    ['objects nested 5,000 deep', '{"a":'.repeat(5000), /nested more than 100 levels deep/, 1],
    [
      "a name of libtorch's library",
      '{ "name": "torch", "sources": ["b.cpp"] }',
      /name: torch is a name that libtorch uses/,
      1,
    ],
    [
      "a name of libtorch's namespace",
      '{ "name": "ATen", "sources": ["b.cpp"] }',
      /ATen is a name that libtorch uses/,
      1,
    ],
    [
      'the name libtorch',
      '{ "name": "libtorch", "sources": ["b.cpp"] }',
      /libtorch is a name that libtorch uses/,
      1,
    ],
    [
      'a name of a million letters',
      `{ "name": "${'a'.repeat(1e6)}", "sources": ["b.cpp"] }`,
      /name: expected at most 128 characters/,
      1,
    ],
    [
      'linker flags from a file',
      '{ "name": "a", "sources": ["b.cpp"], "ldflags": ["@/etc/passwd"] }',
      /ldflags\[0\]: flags are not read from a file/,
      1,
    ],
    [
      "linker flags from a file by the compiler's driver",
      '{ "name": "a", "sources": ["b.cpp"], "ldflags": ["-Wl,-s,@/etc/passwd"] }',
      /ldflags\[0\]: flags are not read from a file/,
      1,
    ],
    [
      'compiler flags from a file',
      '{ "name": "a", "sources": ["b.cpp"], "cflags": ["@flags"] }',
      /cflags\[0\]: flags are not read from a file/,
      1,
    ],
  ])('%s is refused with its place', (_name, text, message, line) => {
    const error = problem(text)
    expect(error.message).toMatch(message)
    expect(error.message.length).toBeLessThan(200)
    expect(error.line).toBe(line)
  })

  it('a byte order mark is read over', () => {
    const marked = parseManifest(`\uFEFF${fixed}`, '/p/opsmith.json')
    expect(marked.ok && marked.value.name).toBe('my_op')
    expect(problem('\uFEFF{ "nme": 1 }')).toMatchObject({ path: 'nme', line: 1 })
  })

  it('the published JSON Schema has every key', () => {
    const schema = manifestJsonSchema() as { properties: Record<string, { description?: string }> }
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining(['autograd', 'pkgConfig', 'gradchecks', 'toolchain']),
    )
    expect(schema.properties['sources']?.description).toContain('globs')
    // `npm run generate` writes it.
    const published: unknown = JSON.parse(
      readFileSync(path.resolve(__dirname, '../../docs/opsmith.schema.json'), 'utf8'),
    )
    expect(published).toEqual(schema)
  })
})

describe('reading the file opsmith.json', () => {
  let folder: string
  const file = (): string => path.join(folder, 'opsmith.json')
  const said = async (): Promise<string> => {
    const result = await readManifest(folder)
    return result.ok ? result.value.name : result.error.message
  }

  beforeEach(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'opsmith-manifest-'))
  })
  afterEach(async () => {
    await fs.rm(folder, { recursive: true })
  })

  it('a file with a byte order mark is read, and edits keep its text', async () => {
    await fs.writeFile(file(), `\uFEFF${fixed}`)
    expect(await said()).toBe('my_op')
    await setToolchain(folder, { compiler: '/usr/bin/g++', libtorch: '', gpu: '' })
    expect(await said()).toBe('my_op')
    expect(await fs.readFile(file(), 'utf8')).toContain('// comments are welcome')
  })

  it.each(['utf16le', 'big-endian'])('a file in UTF-16 (%s) is named as one', async (order) => {
    const bytes = Buffer.from(`\uFEFF${fixed}`, 'utf16le')
    await fs.writeFile(file(), order === 'utf16le' ? bytes : bytes.swap16())
    expect(await said()).toMatch(/written in UTF-16, but must be UTF-8/)
  })

  it('a named pipe is refused without waiting for a writer', async () => {
    execFileSync('mkfifo', [file()])
    expect(await said()).toMatch(/is not a regular file/)
  })

  it('a file of 100 MB is refused by its size', async () => {
    const handle = await fs.open(file(), 'w')
    await handle.truncate(100 << 20)
    await handle.close()
    expect(await said()).toBe('opsmith.json is 100 MiB; the limit is 8 MiB.')
  })
})

describe('editing opsmith.json', () => {
  let folder: string
  const file = (): string => path.join(folder, 'opsmith.json')

  beforeEach(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'opsmith-manifest-'))
    await fs.writeFile(file(), fixed)
  })
  afterEach(async () => {
    await fs.rm(folder, { recursive: true })
  })

  it('changing one field keeps comments and everything else', async () => {
    const parsed = parseManifest(fixed, file())
    if (!parsed.ok || !parsed.value.inputs['x']) throw new Error('fixture')
    const result = await setInputs(folder, { x: { ...parsed.value.inputs['x'], seed: 7 } })
    expect(result.ok).toBe(true)
    const text = await fs.readFile(file(), 'utf8')
    expect(text).toContain('// comments are welcome')
    expect(text).toContain('"seed": 7')
    expect(text.replace('"seed": 7', '"seed": 0')).toBe(fixed)
  })

  it('a shape is written on one line', async () => {
    const parsed = parseManifest(fixed, file())
    if (!parsed.ok || !parsed.value.inputs['x']) throw new Error('fixture')
    await setInputs(folder, { x: { ...parsed.value.inputs['x'], shape: [2, 3, 5] } })
    expect(await fs.readFile(file(), 'utf8')).toContain('"shape": [2, 3, 5]')
  })

  it('a new input is one more line, whatever the file looks like', async () => {
    const made = { dtype: 'float32', device: 'cpu', distribution: 'randn' } as const
    const added = { z: { shape: [2], ...made, requires_grad: false } }
    const line =
      '"z": { "shape": [2], "dtype": "float32", "device": "cpu", "distribution": "randn", "requires_grad": false }'
    const x = '"x": { "shape": [4],  "dtype": "float64" }'
    const start = '{ "name": "p",  "sources": [ "op.cpp" ],'
    const cases = [
      [`${start}\n  "inputs": {\n    ${x}\n  }\n}`, `    ${x},\n    ${line}\n  }\n}`],
      [`${start} "inputs": { ${x} } }`, `"inputs": { ${x}, ${line} } }`],
      [
        `${start}\r\n\t"inputs": {\r\n\t\t${x} // kept\r\n\t}\r\n}`,
        `${x}, // kept\r\n\t\t${line}\r\n\t}\r\n}`,
      ],
      [`${start}\n    "inputs": {}\n}`, `"inputs": {\n        ${line}\n    }\n}`],
      [`${start.slice(0, -1)} }`, `"sources": [ "op.cpp" ], "inputs": {\n  ${line}\n} }`],
    ] as const
    for (const [before, after] of cases) {
      await fs.writeFile(file(), before)
      expect(await setInputs(folder, added)).toEqual({ ok: true, value: null })
      const text = await fs.readFile(file(), 'utf8')
      expect(text).toContain(after)
      expect(text.startsWith(start.slice(0, -1))).toBe(true)
    }
  })

  it('a field that is no longer set is removed, with its comma and its comment', async () => {
    const rest =
      '"dtype": "float64", "device": "cpu", "distribution": "randn", "requires_grad": false'
    const cases = [
      [`{ "seed": 3, "shape": [4], ${rest} }`, `{ "shape": [4], ${rest} }`],
      [`{ "shape": [4], "seed": 3, ${rest} }`, `{ "shape": [4], ${rest} }`],
      [`{ "shape": [4], ${rest}, "seed": 3 }`, `{ "shape": [4], ${rest} }`],
      [
        `{\n  "shape": [4], // small\n  ${rest}, // all\n  "seed": 3 // as before\n}`,
        `{\n  "shape": [4], // small\n  ${rest} // all\n}`,
      ],
    ] as const
    for (const [before, after] of cases) {
      const whole = (x: string): string =>
        `{ "name": "p", "sources": ["op.cpp"], "inputs": { "x": ${x} } }`
      await fs.writeFile(file(), whole(before))
      const parsed = parseManifest(whole(after), file())
      if (!parsed.ok || !parsed.value.inputs['x']) throw new Error('fixture')
      expect(await setInputs(folder, { x: parsed.value.inputs['x'] })).toEqual({
        ok: true,
        value: null,
      })
      expect(await fs.readFile(file(), 'utf8')).toBe(whole(after))
    }
  })

  it('an edit that would break the file is refused, and the file stays as it was', async () => {
    const made = { dtype: 'float32', device: 'cpu', distribution: 'randn' } as const
    const spec = { ...made, shape: [1], requires_grad: false }
    // Nothing of an edit is written where a part of it is wrong.
    const result = await setInputs(folder, { z: spec, 'not a name': spec })
    expect(result.ok).toBe(false)
    expect(await fs.readFile(file(), 'utf8')).toBe(fixed)
  })

  it.each(['', '// nothing yet', '7', '[]', 'null', '{"exports": 7', '{"toolchain": []}'])(
    'an edit of %o is refused with what is wrong with it',
    async (text) => {
      await fs.writeFile(file(), text)
      for (const edit of [
        await setExports(folder, []),
        await setExports(folder, ['library']),
        await setToolchain(folder, { compiler: '', libtorch: '', gpu: '' }),
      ]) {
        expect(edit.ok).toBe(false)
        expect(!edit.ok && edit.error.code).toBe('project.invalid')
      }
      expect(await fs.readFile(file(), 'utf8')).toBe(text)
    },
  )

  it('the choice of tools can be removed again', async () => {
    await setToolchain(folder, { compiler: '/usr/bin/g++', libtorch: '', gpu: '' })
    expect(await fs.readFile(file(), 'utf8')).toContain('"compiler": "/usr/bin/g++"')
    await setToolchain(folder, { compiler: '', libtorch: '', gpu: '' })
    expect(await fs.readFile(file(), 'utf8')).not.toContain('toolchain')
  })
})
