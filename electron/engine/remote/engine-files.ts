/**
 * What the engine needs of an installation, under the same names in a clone, in a package, and in the archive of the
 * command line alone. The bundles in dist/ contain every npm package that they use.
 */
export const engineFiles: readonly string[] = [
  'package.json',
  'LICENSE',
  'CHANGELOG.md',
  'dist/THIRD-PARTY-NOTICES.txt',
  'dist/cli.cjs',
  'dist/cli.bundle.cjs',
  'dist/host.cjs',
  'dist/grammars',
  'native',
  'kernels',
  'samples',
  'templates',
]

/** Of the terminals; machine code, and not there for every system. */
export const terminalBinary = 'dist/pty.node'

/** What `opsmith setup` compiles the native addon with. */
export const addonHeaders: readonly string[] = [
  'node_modules/node-addon-api/package.json',
  'node_modules/node-addon-api/napi.h',
  'node_modules/node-addon-api/napi-inl.h',
  'node_modules/node-addon-api/napi-inl.deprecated.h',
  'node_modules/node-api-headers/package.json',
  'node_modules/node-api-headers/include',
]

/** Folders that a build leaves in samples and tests. */
export const builtFolders: readonly string[] = ['build', '.opsmith']

/** Libraries that every machine with a C++ compiler has: a Node that is linked with others runs only where it is. */
export const commonLibraries = /^(linux-vdso|ld-linux|lib(c|dl|m|pthread|rt|gcc_s|stdc\+\+))[.-]/

/** The oldest Node that runs the engine. */
export const oldestNode = '20.19'
