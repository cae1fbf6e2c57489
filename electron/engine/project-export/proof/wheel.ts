import path from 'node:path'

import type { Proof } from './proof'
import { provePython } from './steps'

/** Lets the new environment import the torch of the Python that it was made by, and nothing of the export. */
const seeTorch = `
import pathlib, sys, sysconfig
site = next(pathlib.Path(sys.argv[1]).glob("lib/python3*/site-packages"))
(site / "torch-of-the-host.pth").write_text(sysconfig.get_path("purelib") + "\\n")
`.trim()

/** What pip will ask for beside it, and its licence, for the log. */
const requirements = `
import sys
from importlib.metadata import metadata, requires
print("requires", *requires(sys.argv[1]))
print("license", metadata(sys.argv[1])["License"] or "none")
`.trim()

/** A wheel is built, installed into an environment of its own, and tested there. It is kept in dist/. */
export async function proveWheel(proof: Proof, files: readonly string[]): Promise<void> {
  const { python } = proof.tools
  if (!proof.has(python, 'build, install and test in Python')) return
  const [wheels, environment] = [proof.beside('wheels'), proof.beside('environment')]
  proof.offer('dist', wheels)
  const built = await proof.run('build the wheel', [
    [
      python.path,
      '-m',
      'pip',
      'wheel',
      '--no-build-isolation',
      '--no-deps',
      '-v',
      '-w',
      wheels,
      '.',
    ],
  ])
  if (!built) return
  const own = path.join(environment, 'bin/python')
  const name = proof.project.manifest.packageName ?? proof.project.name
  const installed = await proof.run('install into a fresh environment', [
    [python.path, '-m', 'venv', '--without-pip', environment],
    [python.path, '-c', seeTorch, environment],
    [
      python.path,
      '-m',
      'pip',
      '--python',
      own,
      'install',
      '--no-deps',
      '--find-links',
      wheels,
      name,
    ],
    [own, '-c', requirements, name],
  ])
  if (installed) await provePython(proof, own, files)
}
