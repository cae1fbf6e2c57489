import { buildExtensionFlags } from '../compile/cuda'
import { flag as flagShape } from '../../contract/manifest'
import type { ProposalDraft } from './proposal-draft'

/** Where flags come from. */
export interface FlagPlace {
  /** "setup.py" */
  file: string
  line: number
  /** "extra_compile_args" */
  what: string
}

export const originOf = ({ file, line, what }: FlagPlace): string =>
  line > 0 ? `${file}:${line}, ${what}` : `${file}, ${what}`

/** Flags whose value may be the next word. */
const takesValue =
  /^(-gencode|--generate-code|-arch|--gpu-architecture|-code|--gpu-code|-Xcompiler|--compiler-options|-Xptxas|--ptxas-options|-Xcudafe|-Xlinker|-Xnvlink|-ccbin|--compiler-bindir|-I|-isystem|-idirafter|-include|-D|-U|-t|--threads|-L|-l|-T|-rpath)$/

/** Splits flags into groups: a flag, with its value where that is the next word. */
export function groupFlags(flags: readonly string[]): string[][] {
  const groups: string[][] = []
  for (let index = 0; index < flags.length; index += 1) {
    const one = flags[index] ?? ''
    const next = flags[index + 1]
    if (one === '') continue
    if (takesValue.test(one) && next !== undefined) {
      groups.push([one, next])
      index += 1
    } else groups.push([one])
  }
  return groups
}

/** What a flag asks for that every build here does already. */
const alwaysThere =
  /^((-Xcompiler[= ])?-fPIC|-fpic|-shared|-DNDEBUG|-fwrapv|-DTORCH_API_INCLUDE_EXTENSION_H|-D_GLIBCXX_USE_CXX11_ABI=.*|-DAT_PARALLEL_OPENMP(=1)?|-DTORCH_EXTENSION_NAME=.*|-fdiagnostics-color.*|-lineinfo|--generate-line-info|--ptxas-options=-v)$/

/** Flags that are not carried over, with the reason: read after the flag. */
const dropped: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^--?std[= ]/, 'left out, because Opsmith compiles sources as C++20, which libtorch needs'],
  [/^-g\d?$|^-ggdb/, 'left out, because a build always includes line numbers'],
  [/^-O[sgz]$/, 'left out, because "optimization" accepts only O0 to O3'],
  [
    /fopenmp/,
    'left out: at::parallel_for uses libtorch’s threads without this flag. If the compiler is clang, loops with #pragma omp run on one thread',
  ],
  [/^-DPy_LIMITED_API/, 'left out, because Opsmith compiles operators without Python'],
  [/^(-t|--threads)/, 'left out, because Opsmith chooses the number of nvcc threads'],
  [/^(-ccbin|--compiler-bindir)/, 'left out, because you choose the compiler in Doctor'],
  [
    /^(-dc|--device-c|-rdc=true|--relocatable-device-code=true)$/,
    'left out: add "-rdc=true" to "cudaCflags" if a GPU kernel calls a device function of another file',
  ],
]

const architecture = /(?:sm_|compute_)(\d{2,3}[af]?)/g

/** Adds one group of flags for a compiler to a draft. */
export function carryFlag(
  draft: ProposalDraft,
  group: readonly string[],
  compiler: 'cxx' | 'nvcc',
  place: FlagPlace,
): void {
  const text = group.join(' ')
  const origin = originOf(place)
  const at = { file: place.file, line: place.line }
  if (group.every((one) => alwaysThere.test(one))) return
  if (compiler === 'nvcc' && buildExtensionFlags.includes(text)) return
  const reason = dropped.find(([pattern]) => pattern.test(text))
  if (reason) {
    draft.remark(`${text} is ${reason[1]}.`, at)
    return
  }
  if (!group.every((one) => flagShape.safeParse(one).success)) {
    draft.remark(
      `${text} is left out, because opsmith.json does not accept a file of flags (@file). Write the flags of this file in opsmith.json.`,
      at,
    )
    return
  }
  const include = /^-I\s*(.+)$/.exec(text)?.[1]
  if (include !== undefined) {
    draft.add('includePaths', [include], origin)
    return
  }
  if (compiler === 'cxx') carryCxxFlag(draft, group, origin)
  else carryNvccFlag(draft, group, origin)
}

function carryCxxFlag(draft: ProposalDraft, group: readonly string[], origin: string): void {
  const text = group.join(' ')
  const level = /^-O([0-3])$/.exec(text)?.[1]
  if (level !== undefined) draft.set('optimization', `O${level}`, origin)
  else if (text === '-Ofast') {
    draft.set('optimization', 'O3', origin)
    draft.add('cflags', ['-ffast-math'], origin)
  } else if (text === '-march=native') draft.set('marchNative', true, origin)
  else draft.add('cflags', group, origin)
}

function carryNvccFlag(draft: ProposalDraft, group: readonly string[], origin: string): void {
  const text = group.join(' ')
  if (/^(-gencode|--generate-code|-arch|--gpu-architecture|-code|--gpu-code)/.test(text)) {
    for (const [, one = ''] of text.matchAll(architecture))
      draft.add('cudaArchitectures', [one], origin)
    return
  }
  draft.add('cudaCflags', group, origin)
}
