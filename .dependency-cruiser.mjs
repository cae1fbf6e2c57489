// Who may import whom, as ARCHITECTURE.md says. Run by `npm run check`; each rule prints its reason.

/** Folders of this repository that `from` may not import: all of them but `allowed`. */
const only = (name, from, allowed, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: '^(electron|graph|renderer|test|scripts)/', pathNot: allowed },
})

/** Each serves one purpose of the user's; workbench.ts puts them together. */
const serviceFolders = [
  'check',
  'doctor',
  'git',
  'gpu-check',
  'virtual-gpu',
  'graph',
  'language',
  'profile',
  'project-export',
  'project-import',
  'pytest',
  'remote',
  'run',
  'search',
  'setup',
  'shards',
  'timing',
]

/** The floors of electron/engine, from the ground up: a folder may import those of its own floor or below. */
const engineFloors = [
  [
    'installation\\.ts',
    'places\\.ts',
    'log-file\\.ts',
    'error-place\\.ts',
    'at-rest\\.ts',
    'idle-timer\\.ts',
    'resident-memory\\.ts',
    'collect-files\\.ts',
  ],
  ['toolchain/'],
  ['project/'],
  ['explain/'],
  ['compile/', 'host/'],
  ['builds/'],
  serviceFolders.map((name) => `${name}/`),
  ['workbench\\.ts'],
]

const inEngine = (names) => `^electron/engine/(${names.join('|')})`

/** No import of the engine runs up a floor. */
const engineFloorRules = engineFloors.slice(0, -1).map((names, floor) => ({
  name: `engine-floor-${floor}`,
  severity: 'error',
  comment:
    'The engine is built in floors (see engineFloors): what is below is understood, tested and changed without what is above.',
  from: { path: inEngine(names) },
  to: { path: inEngine(engineFloors.slice(floor + 1).flat()) },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
const configuration = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Modules of a cycle can only be understood, tested and changed together.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'An import that resolves to nothing fails when the bundle runs, if not before.',
      from: {},
      to: { couldNotResolve: true, pathNot: '\\?(worker|url|raw|inline)' },
    },
    {
      name: 'contract-is-message-types',
      severity: 'error',
      comment:
        'The contract is read by every process, the sandboxed ones included: message types and zod, nothing that runs elsewhere.',
      from: { path: '^electron/contract/' },
      to: { pathNot: ['^electron/contract/', '(^|/)node_modules/zod/'] },
    },
    {
      name: 'graph-is-pure',
      severity: 'error',
      comment:
        "Graph algorithms run in the window's worker and in the command line: types of the contract, nothing of Node or of the DOM, no package.",
      from: { path: '^graph/' },
      to: { pathNot: ['^graph/', '^electron/contract/graph\\.ts$'] },
    },
    {
      name: 'graph-takes-types-only',
      severity: 'error',
      comment: 'The contract brings zod, which the worker that draws has no use for.',
      from: { path: '^graph/' },
      to: { path: '^electron/contract/', dependencyTypesNot: ['type-only'] },
    },
    only(
      'engine-stands-alone',
      '^electron/engine/',
      ['^electron/(engine|contract)/'],
      'The app, the command line and the tests share the engine, so it knows none of them.',
    ),
    ...engineFloorRules,
    {
      name: 'engine-folder-has-a-floor',
      severity: 'error',
      comment:
        'A folder of the engine that is on no floor escapes the rules: add it to engineFloors.',
      from: { path: '^electron/', pathNot: inEngine(engineFloors.flat()) },
      to: { path: '^electron/engine/', pathNot: inEngine(engineFloors.flat()) },
    },
    {
      name: 'engine-services-are-apart',
      severity: 'error',
      comment:
        'Services (checks, timings, graphs, exports, ...) meet in workbench.ts only. What two of them need belongs on a floor below.',
      from: { path: `^electron/engine/(${serviceFolders.join('|')})/` },
      to: {
        path: `^electron/engine/(${serviceFolders.join('|')})/`,
        pathNot: '^electron/engine/$1/',
      },
    },
    {
      name: 'compilers-and-hosts-are-apart',
      severity: 'error',
      comment: 'builds/ brings together what compiles and what runs; neither knows the other.',
      from: { path: '^electron/engine/(compile|host)/' },
      to: { path: '^electron/engine/(compile|host)/', pathNot: '^electron/engine/$1/' },
    },
    {
      name: 'electron-stays-in-main',
      severity: 'error',
      comment:
        'Engine, session, host and command line run in plain Node; only main, preload and packaging know Electron.',
      from: { path: '^electron/(contract|engine|session|host|cli)/|^renderer/' },
      to: { path: '(^|/)node_modules/electron/|^electron$' },
    },
    only(
      'session-uses-engine',
      '^electron/session/',
      ['^electron/(session|engine|contract)/'],
      'A session runs wherever the engine does, behind a window or a pipe: what is where the user is comes as a Desktop.',
    ),
    only(
      'main-uses-session',
      '^electron/main/',
      ['^electron/(main|session|engine|contract)/'],
      'Main starts the op host and the renderer as processes; importing them would run user code or the DOM in main.',
    ),
    only(
      'host-is-alone',
      '^electron/host/',
      ['^electron/(host|contract)/'],
      'The op host is disposable and starts in milliseconds: it brings the addon and the contract, no engine.',
    ),
    only(
      'cli-uses-session',
      '^electron/cli/',
      ['^electron/(cli|session|engine|contract)/', '^graph/'],
      'The command line is the engine, or a session behind a pipe, with other words around it, and graphs as text, without Electron and without the window.',
    ),
    only(
      'start-is-small',
      '^electron/start/',
      [
        '^electron/start/',
        '^electron/engine/(installation|places|language/syntax/wasm-flags)\\.ts$',
      ],
      'What is loaded before the compiled code is compiled at every start.',
    ),
    only(
      'preload-is-thin',
      '^electron/preload/',
      ['^electron/(preload|contract)/'],
      'The preload runs next to untrusted content: channel names and nothing that acts.',
    ),
    only(
      'renderer-talks-by-contract',
      '^renderer/',
      ['^renderer/', '^electron/contract/', '^graph/'],
      'The renderer reaches the other processes by messages only.',
    ),
    only(
      'bridge-is-the-door',
      '^renderer/bridge/',
      ['^renderer/bridge/', '^electron/contract/'],
      'The one place that touches the preload must not depend on what is shown.',
    ),
    only(
      'store-knows-no-view',
      '^renderer/store/',
      ['^renderer/(store|bridge)/', '^electron/contract/', '^graph/'],
      'State is tested without React and without the editor.',
    ),
    {
      name: 'features-are-apart',
      severity: 'error',
      comment:
        'A feature is added, rewritten and deleted as one folder. Features meet in renderer/store, and run commands of others by name.',
      from: { path: '^renderer/features/([^/]+)/' },
      to: { path: '^renderer/features/', pathNot: '^renderer/features/$1/' },
    },
    {
      name: 'nothing-names-a-feature',
      severity: 'error',
      comment:
        'Features are found, not listed: the shell, the editor and the stores read their declarations (renderer/store/feature.ts).',
      from: {
        path: '^renderer/(shell|editor|store|bridge)/',
        pathNot: '^renderer/shell/main\\.tsx$',
      },
      to: { path: '^renderer/features/' },
    },
    {
      name: 'declarations-are-found',
      severity: 'error',
      comment: 'The shell starts with all features, and with no single one.',
      from: { path: '^renderer/shell/main\\.tsx$' },
      to: { path: '^renderer/features/[^/]+/' },
    },
    {
      name: 'found-in-the-engine-imports-no-finder',
      severity: 'error',
      comment:
        'all-forms.ts and all-lints.ts import their files by a pattern, which is not seen here: a way back would be a cycle.',
      from: { path: '^electron/engine/.*/(forms|rules)/' },
      to: { path: '^electron/engine/.*/all-[a-z-]+\\.ts$', reachable: true },
    },
    {
      name: 'found-in-the-command-line-imports-no-finder',
      severity: 'error',
      comment: 'all-verbs.ts imports the verbs by a pattern: a way back would be a cycle.',
      from: { path: '^electron/cli/verbs/' },
      to: { path: '^electron/cli/all-verbs\\.ts$', reachable: true },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      comment: 'What is shipped does not lean on what checks it.',
      from: { path: '^(electron|graph|renderer)/' },
      to: { path: '^test/' },
    },
    {
      name: 'one-importer-of-the-addon',
      severity: 'error',
      comment:
        'User code runs where the addon is loaded: only the op host may name its interface, so that main cannot load it by mistake.',
      from: { path: '^(electron|renderer)/', pathNot: '^electron/host/' },
      to: { path: '^electron/host/addon' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|\\.setup|node_modules/\\.)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.d.ts', '.css', '.json'],
    },
  },
}

export default configuration
