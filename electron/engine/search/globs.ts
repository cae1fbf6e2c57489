const special = /[.+^$()|\\]/g

/** A glob as the source of a regular expression: `*` and `?` within a name, `**` over folders, `[...]`, `{a,b}`. */
export function sourceOfGlob(glob: string): string {
  let source = ''
  let depth = 0
  for (let at = 0; at < glob.length; at += 1) {
    const rest = glob.slice(at)
    const set = /^\[(!?)([^\]/]+)\]/.exec(rest)
    if (rest.startsWith('**/')) {
      source += '(?:[^/]+/)*'
      at += 2
    } else if (rest.startsWith('**')) {
      source += '.*'
      at += 1
    } else if (rest.startsWith('*')) source += '[^/]*'
    else if (rest.startsWith('?')) source += '[^/]'
    else if (set) {
      source += `[${set[1] === '!' ? '^' : ''}${(set[2] ?? '').replace(/[\\\]^]/g, '\\$&')}]`
      at += set[0].length - 1
    } else if (rest.startsWith('\\') && rest.length > 1) {
      source += (rest[1] ?? '').replace(/\W/g, '\\$&')
      at += 1
    } else if (rest.startsWith('{') && rest.includes('}')) {
      source += '(?:'
      depth += 1
    } else if (rest.startsWith('}') && depth > 0) {
      source += ')'
      depth -= 1
    } else if (rest.startsWith(',') && depth > 0) source += '|'
    else source += (rest[0] ?? '').replace(special, '\\$&').replace(/[{}[\]]/, '\\$&')
  }
  return source + ')'.repeat(depth)
}

/** Commas between globs, not those in braces. */
function partsOf(list: string): string[] {
  return (list.match(/(?:\{[^}]*\}|[^,])+/g) ?? []).map((part) => part.trim()).filter(Boolean)
}

/**
 * What a user's list of globs says of a file: "*.cpp" of any folder, "src" with all that is in it, "./src" of the
 * project's own folder only. Undefined for an empty list.
 */
export function matcherOf(list: string): ((path: string) => boolean) | undefined {
  const patterns = partsOf(list).map((part) => {
    const isAnchored = part.startsWith('./') || part.startsWith('/')
    const glob = part.replace(/^\.?\/+/, '').replace(/\/+$/, '')
    return new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${sourceOfGlob(glob)}(?:/.*)?$`)
  })
  return patterns.length === 0
    ? undefined
    : (path) => patterns.some((pattern) => pattern.test(path))
}
