import fs from 'node:fs/promises'
import path from 'node:path'

/** Bytes of a script beyond which nobody has written it by hand. */
const largest = 1 << 20
/** Scripts that are searched. */
const mostSearched = 2000

const loads =
  /\bload_inline\s*\(|\bcpp_extension\.load\s*\(|\bcpp_extension\s+import\s+[^#\n]*\bload\b|\bcpp_extension\s+import\s*\([^)]*\bload\b/

/** A script that compiles sources when it is imported or run. */
export interface LoadScript {
  /** Relative. */
  file: string
  /** 1-based line that shows it. */
  line: number
}

/**
 * Finds the scripts that use load() or load_inline() of torch.utils.cpp_extension, by their text.
 * @param files of the folder, relative
 */
export async function findLoadScripts(
  folder: string,
  files: readonly string[],
): Promise<LoadScript[]> {
  const scripts = files.filter((file) => file.endsWith('.py') && path.basename(file) !== 'setup.py')
  const found: LoadScript[] = []
  for (const file of scripts.slice(0, mostSearched)) {
    const absolute = path.join(folder, file)
    const isSmall = await fs.stat(absolute).then(
      ({ size }) => size <= largest,
      () => false,
    )
    const text = isSmall ? await fs.readFile(absolute, 'utf8').catch(() => '') : ''
    const match = text.includes('cpp_extension') ? loads.exec(text) : null
    if (match) found.push({ file, line: text.slice(0, match.index).split('\n').length })
  }
  return found
}
