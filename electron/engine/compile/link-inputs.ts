import fs from 'node:fs'
import path from 'node:path'

/** The value of a flag that may have it in the next word: "-L x", "-Lx". */
function valuesOf(flag: string, words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (word === flag) return [words[index + 1] ?? '']
    return word.startsWith(flag) && word !== flag ? [word.slice(flag.length)] : []
  })
}

/** Words as the linker gets them from the compiler's driver. */
function linkerWords(flags: readonly string[]): string[] {
  return flags
    .filter((flag) => flag !== '-Xlinker')
    .flatMap((flag) => (flag.startsWith('-Wl,') ? flag.slice('-Wl,'.length).split(',') : [flag]))
}

/**
 * Files that a project's flags of the link name, and those that they may mean: `-L x -lfoo` is x/libfoo.so as soon
 * as there is one. What such files lead to in turn, a linker script for instance, is in the linker's dependency file.
 *
 * @param flags in the order given, as the compiler's driver takes them
 * @param folder where the linker runs, absolute
 * @returns absolute paths, of files that are not there too
 */
export function namedByFlags(flags: readonly string[], folder: string): string[] {
  const words = linkerWords(flags)
  const named = words
    // "--version-script=x.map", "@x.rsp"
    .map((word) => word.replace(/^@|^--?[\w-]+=/, ''))
    .filter((word) => !word.startsWith('-') && isFile(path.resolve(folder, word)))
  const folders = valuesOf('-L', words)
  const searched = valuesOf('-l', words).flatMap((name) => {
    const files = name.startsWith(':') ? [name.slice(1)] : [`lib${name}.so`, `lib${name}.a`]
    return folders.flatMap((place) => files.map((file) => path.join(place, file)))
  })
  return [...new Set([...named, ...searched].map((file) => path.resolve(folder, file)))]
}

function isFile(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true
}
