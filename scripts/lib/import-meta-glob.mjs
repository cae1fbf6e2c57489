// `import.meta.glob` for esbuild, which has none. Vite has it, and so have vitest and the renderer.
import fs from 'node:fs'
import path from 'node:path'

/** The one form of it that is supported here; Vite supports more. */
const call =
  /import\.meta\.glob<\w+>\(\s*('[^']+'|\[[^\]]+\]),\s*\{\s*eager: true,\s*import: '(\w+)',?\s*\},?\s*\)/g

/** Names only: nothing is imported. */
const keysCall = /import\.meta\.glob\(('[^']+')\)/g

/**
 * Replaces each call of import.meta.glob by one export of the files that match, by their paths. Only files
 * named all-*.ts may call it: no other file is read here, so the rest of the bundle costs nothing more.
 * @type {import('esbuild').Plugin}
 */
export const importMetaGlob = {
  name: 'import-meta-glob',
  setup(build) {
    build.onLoad({ filter: /[/\\]all-[a-z-]+\.ts$/ }, async (args) => {
      const { globSync } = await import('tinyglobby')
      const folder = path.dirname(args.path)
      const imports = []
      const watchDirs = []
      const contents = fs.readFileSync(args.path, 'utf8').replace(call, (_call, given, name) => {
        const patterns = [...given.matchAll(/'([^']+)'/g)].map(([, pattern]) => pattern)
        const files = globSync(patterns, { cwd: folder, expandDirectories: false }).sort()
        watchDirs.push(...patterns.map((pattern) => path.join(folder, pattern.split('*')[0])))
        const entries = files.map((file) => {
          const specifier = JSON.stringify(`./${file}`)
          imports.push(`import { ${name} as found${imports.length} } from ${specifier};`)
          return `${specifier}: found${imports.length - 1}`
        })
        return `{ ${entries.join(', ')} }`
      })
      const keysReplaced = contents.replace(keysCall, (_call, given) => {
        const pattern = given.slice(1, -1)
        watchDirs.push(path.join(folder, pattern.split('*')[0]))
        const files = globSync([pattern], { cwd: folder, expandDirectories: false }).sort()
        return `{ ${files.map((file) => `${JSON.stringify(file)}: null`).join(', ')} }`
      })
      if (keysReplaced.includes('import.meta.glob')) {
        const form = `import.meta.glob<Type>('./folder/*.ts', { eager: true, import: 'name' }), or with the pattern alone for the names`
        return { errors: [{ text: `Write it as ${form}.`, location: { file: args.path } }] }
      }
      // On the first line, so that lines keep their numbers.
      return { contents: imports.join(' ') + keysReplaced, loader: 'ts', watchDirs }
    })
  },
}
