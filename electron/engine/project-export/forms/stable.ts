import { err } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { minorVersion } from '../exported-project'
import type { ExportedProject } from '../exported-project'
import type { FileTree } from '../file-tree'
import { ownSources } from '../exported-sources'
import { stableObstacles, usesStableAbi } from '../stable-abi'
import { setuptoolsFiles } from '../templates/setuptools-project'
import type { Form } from '../form'
import { refusalOf } from '../form'
import { proveWheel } from '../proof/wheel'
import { pythonPackage } from '../templates/names'

/** 2.13 as torch/csrc/stable/macros.h has it: 0x020d000000000000. */
function targetVersion(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const hex = (part: number): string => part.toString(16).padStart(2, '0')
  return `0x${hex(major)}${hex(minor)}000000000000`
}

/** The Python package for every libtorch from this one on, of sources that use its stable ABI alone. */
function stableFiles(project: ExportedProject): Result<FileTree> {
  const { sources, toolchain } = project
  if (!usesStableAbi(sources)) {
    const obstacles = stableObstacles(sources)
    const places = obstacles.map(({ file, line, message }) => `${file}:${line}: ${message}`)
    return err(
      'project.invalid',
      `The sources do not fit libtorch's stable ABI: ${places[0] ?? 'no source uses STABLE_TORCH_LIBRARY'}${places.length > 1 ? ` (first of ${places.length} places)` : ''}.`,
      {
        hint: 'Include libtorch headers only from torch/csrc/stable and torch/headeronly, and register with STABLE_TORCH_LIBRARY.',
        detail: places.join('\n'),
      },
    )
  }
  const { version } = toolchain.libtorch
  // Autograd is not of the stable ABI: the package registers it in Python.
  return setuptoolsFiles(
    { ...project, sources: ownSources(sources) },
    {
      // With it, headers offer nothing whose ABI libtorch does not keep.
      definitions: ['TORCH_STABLE_ONLY', `TORCH_TARGET_VERSION=${targetVersion(version)}`],
      from: minorVersion(version),
    },
  )
}

export const form: Form = {
  id: 'stable',
  order: 5,
  purpose: "A Python package as one abi3 wheel, on libtorch's stable ABI",
  needs:
    "the sources must use only libtorch's stable ABI (torch/csrc/stable, STABLE_TORCH_LIBRARY), and pip and Python must accept the name (`name`, or `packageName` in opsmith.json)",
  tools: ['python'],
  refusal: (manifest, sources) => {
    const refused = refusalOf(pythonPackage(manifest))
    if (refused) return refused
    if (usesStableAbi(sources)) return undefined
    return {
      reason: "The sources do not fit libtorch's stable ABI.",
      hint: 'Include libtorch headers only from torch/csrc/stable and torch/headeronly, and register with STABLE_TORCH_LIBRARY.',
      obstacles: stableObstacles(sources),
    }
  },
  files: stableFiles,
  prove: proveWheel,
}
