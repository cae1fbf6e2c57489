import type { GraphPlace } from '../../../contract/graph'

/** Frames of torch itself say how an operator was reached, not who asked for it. */
const torchFrame = /(^|\/)(site|dist)-packages\/torch\/|^torch\/|^</

/**
 * The innermost frame of the user's own code in a "stack_trace". Python tells the line only: the
 * place begins and ends at its first column.
 */
export function sourceOf(stackTrace: string): GraphPlace | undefined {
  let found: GraphPlace | undefined
  for (const [, file = '', number = ''] of stackTrace.matchAll(/File "([^"\n]+)", line (\d+)/g)) {
    if (torchFrame.test(file)) continue
    const line = Number(number)
    found = { file, line, column: 1, endLine: line, endColumn: 1 }
  }
  return found
}

/**
 * The modules of an "nn_module_stack", outermost first and each relative to the one around it.
 * Entries are "key,path,type" joined by semicolons; the key of a second call of a module ends in "@1".
 */
export function scopeOf(stack: string): string[] {
  const scope: string[] = []
  let around = ''
  for (const entry of stack.split(';')) {
    const first = entry.indexOf(',')
    const last = entry.lastIndexOf(',')
    if (first < 0 || last <= first) continue
    const path = entry.slice(first + 1, last).replace(/^(L\['self'\]|L__self__|self)\.?/, '')
    if (path === '' || path.startsWith('_empty_nn_module_stack')) continue
    const again = /@\d+$/.exec(entry.slice(0, first))?.[0] ?? ''
    const inside = around !== '' && path.startsWith(`${around}.`)
    scope.push((inside ? path.slice(around.length + 1) : path) + again)
    around = path
  }
  return scope
}
