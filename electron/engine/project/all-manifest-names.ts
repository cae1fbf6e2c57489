/**
 * The names that opsmith.json may hold of things with a file each. Only the names of the files are read here, so this
 * floor does not depend on the floors where the files are; collectFiles() sees to it that a name is its file's.
 */
const formFiles = import.meta.glob('../project-export/forms/*.ts')
const lintFiles = import.meta.glob('../language/lints/rules/*.ts')

const namesOf = (files: object): string[] =>
  Object.keys(files)
    .map((file) => file.slice(file.lastIndexOf('/') + 1, -'.ts'.length))
    .sort()

export const formIds: readonly string[] = namesOf(formFiles)
export const lintCodes: readonly string[] = namesOf(lintFiles).map((name) => `opsmith-${name}`)
