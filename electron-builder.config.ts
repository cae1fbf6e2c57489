import type { Configuration } from 'electron-builder'

/**
 * What electron-builder packs, for `npm run package` (scripts/package.mjs): the app with its Electron as a folder. The
 * script makes the archives of that folder. The bundles in dist/ hold every npm package they use, so no
 * node_modules travels along.
 */
const configuration: Configuration = {
  appId: 'org.opsmith.workbench',
  productName: 'Opsmith',
  executableName: 'opsmith',
  copyright: 'MIT, Opsmith contributors',
  directories: { output: 'release' },
  // The addon is linked with the libtorch of the user's machine: built there, never rebuilt here.
  npmRebuild: false,
  files: [
    'package.json',
    'LICENSE',
    'CHANGELOG.md',
    'dist/**/*',
    '!dist/.*.json',
    '!dist/main.development.*',
    'native/**/*',
    'kernels/**/*',
    'samples/**/*',
    'templates/**/*',
    '!**/{build,.opsmith}/**',
  ],
  asar: true,
  // Compilers and plain Node read these: they have to be files, not entries of an archive.
  asarUnpack: [
    'package.json',
    'CHANGELOG.md',
    'dist/host.cjs*',
    'dist/cli.cjs*',
    'dist/cli.bundle.cjs*',
    'dist/grammars/*',
    'dist/*.node',
    'native/**/*',
    'kernels/**/*',
    'samples/**/*',
    'templates/**/*',
  ],
  electronFuses: {
    // The op host runs Electron as Node: bytes that user code writes to the channel of a utilityProcess end main.
    runAsNode: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableCookieEncryption: true,
    onlyLoadAppFromAsar: true,
    grantFileProtocolExtraPrivileges: false,
  },
  linux: { target: ['dir'] },
  publish: null,
}

export default configuration
