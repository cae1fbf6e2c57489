import type { Finding } from '../../contract/doctor'
import type { Manifest } from '../../contract/manifest'
import type { Result, WorkbenchError } from '../../contract/outcome'
import { whyNoCudaPart } from '../compile/cuda'
import { chooseArchitectures } from '../compile/cuda-architectures'
import { readProjectFile } from '../project/files'
import type { OpenProject } from '../project/open-project'
import { resolveSources } from '../project/sources'
import type { Toolchain } from '../toolchain/choose'
import { askPython } from '../toolchain/ask-python'
import { describeLibtorch } from '../toolchain/libtorch'
import { whyNoFit } from '../toolchain/libtorch-fit'
import { packageFlags } from '../toolchain/pkg-config'
import { blank } from './blank-finding'

const plain = { ...blank, kind: 'project', path: '' } satisfies Partial<Finding>

const unusable = (name: string, { message, hint = '' }: WorkbenchError): Finding => ({
  ...plain,
  name,
  judgement: 'unusable',
  why: message,
  remedy: hint,
})

/** The Python that runs the project's tests, and loads packages that are exported from it. */
async function pythonFinding(python: Result<string>, { libtorch }: Toolchain): Promise<Finding> {
  const name = "the project's Python"
  if (!python.ok) return { ...unusable(name, python.error), judgement: 'warning' }
  const finding: Finding = { ...plain, name, path: python.value, judgement: 'warning' }
  const answer = await askPython(python.value)
  const folder = answer?.torchFolder ?? ''
  const loaded = folder === '' ? undefined : describeLibtorch(folder, python.value)
  if (!loaded) {
    return {
      ...finding,
      why: 'has no torch, so tests and exported packages cannot run in this Python',
      remedy: `${python.value} -m pip install torch==${libtorch.version.replace(/\+.*$/, '')}`,
    }
  }
  const why = whyNoFit(libtorch, loaded, python.value)
  const facts: Finding['facts'] = [['torch', loaded.version]]
  if (why === '') return { ...finding, judgement: 'usable', facts }
  return {
    ...finding,
    facts,
    why,
    remedy: `To build for the torch of this Python, set "toolchain": { "libtorch": ${JSON.stringify(loaded.folder)} } in opsmith.json.`,
  }
}

async function textsOf(folder: string, files: readonly string[]): Promise<string[]> {
  const read = await Promise.all(files.map(async (file) => await readProjectFile(folder, file)))
  return read.flatMap((one) => (one.ok ? [one.value.text] : []))
}

/** The CUDA part: whether it is built, and for which GPUs. */
async function cudaFinding(
  { folder, manifest }: OpenProject,
  toolchain: Toolchain,
  sources: readonly string[],
): Promise<Finding> {
  const name = `${sources.length} CUDA source${sources.length === 1 ? '' : 's'}`
  const why = whyNoCudaPart(toolchain, await textsOf(folder, sources))
  if (why !== '') {
    return {
      ...plain,
      name,
      judgement: 'warning',
      why: `left out of builds: ${why}`,
      remedy: toolchain.cuda
        ? 'Choose a libtorch with CUDA in Doctor, or in "toolchain" of opsmith.json.'
        : 'Install the CUDA toolkit, or set CUDA_HOME to the folder of the toolkit.',
    }
  }
  if (!toolchain.cuda) return { ...plain, name }
  const chosen = chooseArchitectures(toolchain.cuda, folder, manifest, [])
  if (!chosen.ok) return unusable(name, chosen.error)
  const { architectures } = chosen.value
  return { ...plain, name, facts: [['GPU kernels for', architectures.join(', ')]] }
}

/** A standard that libtorch's headers do not compile with. */
function standardFinding({ cflags }: Manifest, { libtorch }: Toolchain): Finding[] {
  const given = cflags.find((flag) => /^-std=(c|gnu)\+\+/.test(flag))
  if (given === undefined || libtorch.cxxStandard < 20) return []
  if (/\+\+(2[0-9a-c]|latest)$/.test(given)) return []
  return [
    {
      ...plain,
      name: given,
      judgement: 'unusable',
      why: `the headers of libtorch ${libtorch.version} need C++20`,
      remedy:
        'Remove this flag from "cflags" in opsmith.json: Opsmith sets the standard that libtorch needs.',
    },
  ]
}

/**
 * Whether a project's Python, CUDA part, standard and packages fit the tools that are chosen: found without compiling
 * anything. The project's Python is asked for its torch: not for folders that are not trusted.
 */
export async function projectFindings(
  project: OpenProject,
  toolchain: Toolchain,
  python: Result<string>,
): Promise<Finding[]> {
  const { folder, manifest } = project
  const [sources, packages, ofPython] = await Promise.all([
    resolveSources(folder, manifest),
    packageFlags(manifest),
    pythonFinding(python, toolchain),
  ])
  return [
    ...(sources.ok ? [] : [unusable("the project's sources", sources.error)]),
    ...standardFinding(manifest, toolchain),
    ofPython,
    ...(sources.ok && sources.value.cuda.length > 0
      ? [await cudaFinding(project, toolchain, sources.value.cuda)]
      : []),
    ...(packages.ok ? [] : [unusable("the project's packages", packages.error)]),
  ]
}
