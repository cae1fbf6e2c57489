import type { ExportObstacle } from '../../contract/export'
import { withoutComments } from '../project/scan-source'
import type { ExportedSources } from './exported-sources'

/** Headers whose ABI libtorch keeps: https://docs.pytorch.org/docs/stable/notes/libtorch_stable_abi.html */
const stableHeaders = /^torch\/(csrc\/stable\/|headeronly\/|csrc\/inductor\/aoti_torch\/c\/)/
const torchHeaders = /^(torch|ATen|c10|caffe2|pybind11|opsmith)\//

/** Registrations that bind a library to one libtorch. */
const unstable: readonly [RegExp, string][] = [
  [
    /^\s*TORCH_LIBRARY(_IMPL|_FRAGMENT)?\s*\(/,
    'registers with TORCH_LIBRARY, not STABLE_TORCH_LIBRARY',
  ],
  [/^\s*PYBIND11_MODULE\s*\(/, 'binds with PYBIND11_MODULE, not STABLE_TORCH_LIBRARY'],
]

/** Includes and registrations that are not of the stable ABI, place by place. */
export function stableObstacles(sources: ExportedSources): ExportObstacle[] {
  return sources.texts.flatMap(({ relative, text }) =>
    withoutComments(text)
      .split('\n')
      .flatMap((line, index): ExportObstacle[] => {
        const place = { file: relative, line: index + 1 }
        const name = /^[ \t]*#[ \t]*include[ \t]*["<]([^>"]+)[>"]/.exec(line)?.[1]
        if (name !== undefined && torchHeaders.test(name) && !stableHeaders.test(name)) {
          return [{ ...place, message: `includes <${name}>` }]
        }
        return unstable
          .filter(([pattern]) => pattern.test(line))
          .map(([, message]) => ({ ...place, message }))
      }),
  )
}

/** They register operators through the stable ABI, and use nothing else of libtorch. */
export function usesStableAbi(sources: ExportedSources): boolean {
  const registers = sources.texts.some(({ text }) =>
    /^\s*STABLE_TORCH_LIBRARY/m.test(withoutComments(text)),
  )
  return registers && !sources.includesSupport && stableObstacles(sources).length === 0
}
