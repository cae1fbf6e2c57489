// What Opsmith's builds are compared with: the same sources through torch.utils.cpp_extension, in a Python of its own.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { readManifest } from '../../electron/engine/project/read-manifest'
import { resolveSources } from '../../electron/engine/project/sources'
import { packageFlags } from '../../electron/engine/toolchain/pkg-config'
import { python } from '../support/python'

const run = promisify(execFile)

const peerScript = `
import json, sys, os, time
import torch
from torch.utils import cpp_extension
name, folder, sources, cflags, ldflags = sys.argv[1], sys.argv[2], *map(json.loads, sys.argv[3:6])
def build(text):
    started = time.perf_counter()
    cpp_extension.load_inline(name=name, cpp_sources=text, build_directory=folder, is_python_module=False,
        extra_cflags=["-O2"] + cflags, extra_ldflags=ldflags) if len(sources) == 1 else cpp_extension.load(name=name,
        sources=sources, build_directory=folder, is_python_module=False, extra_cflags=["-O2"] + cflags, extra_ldflags=ldflags)
    return time.perf_counter() - started
print(json.dumps(build(open(sources[0]).read())))
`

/**
 * Seconds in which PyTorch builds a project's sources.
 * @param home the folder in which a folder for the results is made
 * @returns undefined where the project cannot be read
 */
export async function loadInlineSeconds(folder: string, home: string): Promise<number | undefined> {
  const manifest = await readManifest(folder)
  if (!manifest.ok) return undefined
  const sources = await resolveSources(folder, manifest.value)
  const packages = await packageFlags(manifest.value)
  if (!sources.ok || !packages.ok) return undefined
  const output = fs.mkdtempSync(path.join(home, 'peer-'))
  const includes = [
    folder,
    ...manifest.value.includePaths.map((item) => path.resolve(folder, item)),
  ]
  const { stdout } = await run(
    python,
    [
      '-c',
      peerScript,
      manifest.value.name,
      output,
      JSON.stringify(sources.value.plain.map((source) => path.join(folder, source))),
      JSON.stringify([
        ...includes.map((item) => `-I${item}`),
        ...packages.value.compile,
        ...manifest.value.cflags,
      ]),
      JSON.stringify([...packages.value.link, ...manifest.value.ldflags]),
    ],
    {
      env: {
        ...process.env,
        PATH: `${path.dirname(python)}:${process.env['PATH'] ?? ''}`,
        MAX_JOBS: '2',
      },
      maxBuffer: 64 << 20,
    },
  )
  return Number(stdout.trim().split('\n').at(-1))
}
