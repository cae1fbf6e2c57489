import { z } from 'zod'

import { exportCalls, exportEvents } from './export-calls'
import {
  assemblyChoice,
  assemblyComparison,
  assemblyForm,
  assemblyListing,
  assemblyReport,
  assemblySide,
  loopEstimate,
  optimizationRemark,
  rowRange,
} from './assembly'
import { buildReport } from './build'
import { diagnostic } from './diagnostics'
import { doctorCalls } from './doctor-calls'
import { gpuCheck, gpuCheckName } from './gpu-check'
import { kernelList } from './timing-device'
import { timingEntry } from './timing-entry'
import { toolChoice } from './tool-choice'
import {
  buildKey,
  timingHistoryPoint,
  timingReport,
  timingRequest,
  timingRow,
  judgedCeilings,
  keptBuild,
} from './timing-report'
import {
  checkedReport,
  gradcheckOutcome,
  gradcheckPoint,
  gradcheckRequest,
  searchReport,
  sweepDtype,
  sweepPoint,
  sweepReport,
} from './gradcheck'
import { fileCalls } from './file-calls'
import { gitCalls } from './git'
import { captureReport, captureRequest, graphArchive, graphObservation, graphText } from './graph'
import { kernelCalls, kernelEvents } from './kernel-calls'
import { languageDiagnostics, languageState } from './language'
import { languageCalls } from './language-calls'
import { checkEntry, inputSpec } from './manifest'
import {
  operatorCheckCase,
  operatorCheckName,
  operatorCheckOutcome,
  placedOperatorCheckReport,
} from './operator-check'
import { pytestCalls, pytestEvents } from './pytest-calls'
import { loadReport, operatorDetail, operatorSummary } from './operators'
import { newProjectCalls } from './new-project-calls'
import { hostExit, workbenchError } from './outcome'
import { runCalls, runEvents } from './run-calls'
import { profileReport, profileRequest } from './profile'
import { draft, fileContent, project, sample, trustedFolder } from './project'
import { importCalls } from './project-import-calls'
import { remoteCalls, remoteEvents } from './remote-calls'
import { sandboxState } from './sandbox'
import { searchCalls } from './search'
import { sanitizedRun } from './sanitize'
import { programFunction, runReport, runRequest } from './run'
import { settings, settingsChange } from './settings'
import { setupCalls, setupEvents } from './setup'
import { startNewsCalls } from './start-news'
import { histogram, pageRequest, tensorPage } from './tensor'
import { stepCalls, stepEvents } from './step-calls'
import { terminalCalls, terminalEvents } from './terminal-calls'
import { versionCalls, versionEvents } from './version-check'
const none = z.object({})
const folder = z.object({ folder: z.string() })
/**
 * A gradcheck as the window asks for it: main adds the program, and the inputs of opsmith.json that it does not give.
 */
const gradcheckOf = z.object({
  folder: z.string(),
  job: z.string(),
  request: gradcheckRequest.omit({ program: true }),
  /** Seconds for each run of gradcheck; 0 takes the settings'. */
  timeout: z.number().nonnegative(),
})
const inFolder = z.object({ folder: z.string(), path: z.string() })

export const hostState = z.object({
  generation: z.int(),
  state: z.enum(['starting', 'ready', 'busy', 'ended']),
  libtorch: z.string(),
  /** Process id; 0 when there is no process. */
  pid: z.int(),
  /** Absent until an op host has started. */
  sandbox: sandboxState.optional(),
  /** How the previous generation ended, if it crashed or was killed. */
  lastExit: hostExit.optional(),
})
export type HostState = z.infer<typeof hostState>

/** The result of building a project: the build and, if it is good, what the library registered when it was loaded. */
export const buildAndLoad = z.object({
  build: buildReport,
  load: loadReport.optional(),
  /** The library could not be loaded: how and why. */
  loadError: workbenchError.optional(),
})
export type BuildAndLoad = z.infer<typeof buildAndLoad>

const noteOfJob = z.object({
  job: z.string(),
  /** The kind of the window's job. */
  kind: z.string(),
  /** What the window's job began with, as JSON. */
  input: z.string().max(1_000_000),
})

/** What the renderer may ask of main. Adding a call is one entry here and one handler in electron/session/calls. */
export const appCalls = {
  'app.info': {
    input: none,
    output: z.object({
      version: z.string(),
      electron: z.string(),
      platform: z.string(),
      /** The project to open at the start: from the command line, else the last one; "" for the gallery. */
      startFolder: z.string(),
      /** A model (.pt, .pt2) to show once a project is open; "" for none. */
      startModel: z.string(),
      tests: z.boolean(),
    }),
  },
  ...startNewsCalls,
  /** Bytes of memory that the open project's helpers hold now; 0 for one that does not run. */
  'app.memory': {
    input: none,
    output: z.object({ compileServer: z.number(), clangd: z.number() }),
  },
  /** The renderer has saved its state; main waits for this before it closes the window. */
  'app.flushed': { input: none, output: none },
  /** @param target the machine of the folder, if it is another: a target, a host of ssh, or a command line */
  'project.open': { input: folder.extend({ target: z.string().exactOptional() }), output: project },
  /** Asks the user for a folder: of a project, or one for new projects; null if they cancelled. */
  'project.choose': {
    input: z.object({ purpose: z.enum(['project', 'parent']) }),
    output: z.object({ folder: z.string() }).nullable(),
  },
  'project.close': { input: folder, output: none },
  /** The user's answer whether the open project is trusted; `parent`: its parent folder too. Returns the new state. */
  'trust.answer': {
    input: z.object({ folder: z.string(), trusted: z.boolean(), parent: z.boolean() }),
    output: project,
  },
  /** All decisions, sorted by folder. */
  'trust.list': { input: none, output: z.array(trustedFolder) },
  /** Removes a decision. If the open project is then not trusted, its work ends. */
  'trust.forget': { input: folder, output: z.array(trustedFolder) },
  'project.samples': { input: none, output: z.array(sample) },
  /** Copies a sample to a new folder in `parent`; "" for the folder of the settings. */
  'project.copySample': {
    input: z.object({ name: z.string(), parent: z.string() }),
    output: z.object({ folder: z.string() }),
  },
  ...newProjectCalls,
  ...importCalls,
  'file.read': { input: inFolder, output: fileContent },
  /** Refused with file.conflict if the file is no longer `baseVersion`; "" always writes. */
  'file.write': {
    input: z.object({
      folder: z.string(),
      path: z.string(),
      text: z.string(),
      baseVersion: z.string(),
    }),
    output: fileContent,
  },
  'file.create': { input: inFolder, output: fileContent },
  ...fileCalls,
  /** A file outside the project that an answer named (libtorch's headers, say), to read only. */
  'file.readExternal': { input: z.object({ path: z.string() }), output: fileContent },
  'draft.keep': { input: z.object({ folder: z.string(), draft }), output: none },
  'draft.drop': { input: inFolder, output: none },
  'draft.list': { input: folder, output: z.array(draft) },
  /** The results that the panels showed when the project was open last, as results.keep saved them; "" for none. */
  'results.read': { input: folder, output: z.string() },
  'results.keep': {
    input: z.object({ folder: z.string(), text: z.string().max(8_000_000) }),
    output: none,
  },
  /** Sets inputs of opsmith.json by their names, in one edit; comments, order and other inputs are kept. */
  'project.setInputs': {
    input: z.object({ folder: z.string(), inputs: z.record(z.string(), inputSpec) }),
    output: none,
  },
  /** Builds, loads and describes. Output streams as build.output; `job.cancel` ends it. */
  'operator.build': {
    /** `timeTrace` compiles again and reports where the time went. */
    input: z.object({ folder: z.string(), job: z.string(), timeTrace: z.boolean().optional() }),
    output: buildAndLoad,
  },
  /** Builds with ASan and UBSan, in addition to the plain build, and runs the calls of opsmith.json. */
  'operator.sanitize': {
    input: z.object({ folder: z.string(), job: z.string() }),
    output: sanitizedRun,
  },
  'operator.run': {
    input: z.object({
      folder: z.string(),
      job: z.string(),
      request: runRequest.omit({ program: true }),
      /** Seconds; 0 takes the settings'. */
      timeout: z.number().nonnegative(),
    }),
    output: runReport,
  },
  'program.functions': { input: folder, output: z.array(programFunction) },
  'registry.list': { input: none, output: z.array(operatorSummary) },
  'registry.describe': {
    input: z.object({ name: z.string(), overload: z.string() }),
    output: operatorDetail,
  },
  'tensor.page': { input: pageRequest, output: tensorPage },
  'tensor.histogram': {
    input: z.object({ handle: z.int(), bins: z.int().min(1).max(512) }),
    output: histogram,
  },
  'tensor.release': {
    input: z.object({ handles: z.array(z.int()) }),
    output: z.object({ released: z.int() }),
  },
  /** Captures a graph in the op host; the library is loaded first if it is not. */
  'graph.capture': {
    input: z.object({
      folder: z.string(),
      job: z.string(),
      request: captureRequest.omit({ program: true }),
      /** Seconds; 0 takes the settings'. */
      timeout: z.number().nonnegative(),
    }),
    output: captureReport,
  },
  'graph.read': {
    input: z.object({ capture: z.int(), step: z.int().nonnegative() }),
    output: graphText,
  },
  'graph.observe': {
    input: z.object({
      folder: z.string(),
      job: z.string(),
      capture: z.int(),
      step: z.int().nonnegative(),
      runs: z.int().min(1).max(100),
    }),
    output: graphObservation,
  },
  'graph.release': {
    input: z.object({ captures: z.array(z.int()) }),
    output: z.object({ released: z.int() }),
  },
  /**
   * Saves a script or trace capture as .pt; `path` is relative to the project, "" asks the user. Null: they changed
   * their mind.
   */
  'graph.save': {
    input: z.object({ folder: z.string(), capture: z.int(), path: z.string() }),
    output: z.object({ path: z.string(), bytes: z.number() }).nullable(),
  },
  /** A model from elsewhere (.pt, .pt2); `path` "" asks the user. Null: they changed their mind. */
  'graph.openFile': {
    input: z.object({ folder: z.string(), path: z.string() }),
    output: graphArchive.nullable(),
  },
  /** The graph of a torch.export archive or of a JSON file that graph.openFile opened. */
  'graph.readExport': {
    input: z.object({ path: z.string(), entry: z.string() }),
    output: graphText,
  },
  /** Writes a picture or text of a graph where the user says; `path` as in graph.save. `base64` for PNG. */
  'graph.writeFile': {
    input: z.object({
      folder: z.string(),
      path: z.string(),
      suggestedName: z.string(),
      content: z.string(),
      base64: z.boolean(),
    }),
    output: z.object({ path: z.string() }).nullable(),
  },
  /** Ask for Jacobians with keepJacobians, page them with tensor.page, free them with tensor.release. */
  'gradcheck.run': { input: gradcheckOf, output: checkedReport },
  /** All of opsmith.json's; each outcome also comes as gradcheck.progressed. A crash is its own check's outcome. */
  'gradcheck.runAll': {
    input: z.object({ folder: z.string(), job: z.string(), isBackground: z.boolean() }),
    output: z.array(gradcheckOutcome),
  },
  /** The error over eps; points also come as gradcheck.progressed. `eps` [] and `dtypes` [] take the default ones. */
  'gradcheck.sweep': {
    input: gradcheckOf.extend({
      eps: z.array(z.number().positive()).max(200),
      dtypes: z.array(sweepDtype).max(4),
    }),
    output: sweepReport,
  },
  /** Looks for the worst point among inputs drawn with other seeds, from `firstSeed` on. */
  'gradcheck.search': {
    input: gradcheckOf.extend({
      points: z.int().min(1).max(100_000),
      firstSeed: z.int().nonnegative(),
    }),
    output: searchReport,
  },
  /** Adds the case to opsmith.json's gradchecks, seeds and values written out, if it is not there yet. */
  'gradcheck.keep': {
    input: z.object({
      folder: z.string(),
      request: gradcheckRequest.omit({ program: true, keepJacobians: true }),
      /** "" for none. */
      name: z.string(),
      expect: z.enum(['passed', 'failed']),
    }),
    /** Its position among the gradchecks. */
    output: z.object({ entry: z.int(), added: z.boolean() }),
  },
  /** The results of this check for earlier builds, oldest first. */
  'gradcheck.history': {
    input: z.object({
      folder: z.string(),
      request: gradcheckRequest.omit({ program: true, keepJacobians: true }),
    }),
    output: z.array(gradcheckPoint),
  },
  /**
   * The operator checks of one operator or program function; main adds the program, and the inputs of
   * opsmith.json that the request does not give. `checks` [] runs all except those that must be named.
   */
  'operatorCheck.run': {
    input: z.object({
      folder: z.string(),
      job: z.string(),
      entry: checkEntry,
      /** The sanitizers' checks too. */
      sanitize: z.boolean(),
      /** Also the checks that take long or suit only some operators, with four times as many shapes. */
      thorough: z.boolean(),
      /** Seconds, where the entry has none; 0 for 120. */
      timeout: z.number().nonnegative(),
      /** Nobody has asked for it. */
      isBackground: z.boolean(),
    }),
    output: placedOperatorCheckReport,
  },
  /**
   * opsmith.json's `checks`, else each operator and function of its `calls` once, and the project's
   * other operators; outcomes also come as operatorCheck.progressed. An operator that ends the op host is an
   * outcome, and the others are checked.
   */
  'operatorCheck.runAll': {
    input: z.object({
      folder: z.string(),
      job: z.string(),
      /** Only single cases: what operatorCheck.keep adds of failures. */
      casesOnly: z.boolean(),
      /** The sanitizers' checks too. */
      sanitize: z.boolean(),
      /** Also the checks that take long or suit only some operators, with four times as many shapes. */
      thorough: z.boolean(),
      isBackground: z.boolean(),
    }),
    output: z.array(operatorCheckOutcome),
  },
  /** What operatorCheck.runAll checks, in its order. */
  'operatorCheck.entries': { input: folder, output: z.array(checkEntry) },
  /**
   * Adds the entry to opsmith.json's `checks`, or the simplest call that shows a failure of it; what is there already
   * stays one.
   */
  'operatorCheck.keep': {
    input: z.object({
      folder: z.string(),
      entry: checkEntry,
      failure: z.object({ check: operatorCheckName, shownCase: operatorCheckCase }).optional(),
    }),
    output: z.object({ entry: z.int(), added: z.boolean() }),
  },
  /** The rows of one benchmark, at every point of its sweep; each also comes as bench.progressed. */
  'timing.run': {
    input: z.object({ folder: z.string(), job: z.string(), request: timingRequest }),
    output: timingReport,
  },
  /** All of opsmith.json's `benchmarks`; without any, forward of each operator and function of its `calls`. */
  'timing.runAll': {
    input: z.object({ folder: z.string(), job: z.string() }),
    output: timingReport,
  },
  /** The times of this row in earlier builds, oldest first. */
  'timing.history': {
    input: z.object({ folder: z.string(), request: timingRequest, row: timingRow }),
    output: z.array(timingHistoryPoint),
  },
  /** Newest first. */
  'timing.builds': { input: folder, output: z.array(keptBuild) },
  /** "" removes a name. */
  'timing.nameBuild': {
    input: z.object({ folder: z.string(), key: buildKey, name: z.string() }),
    output: z.array(keptBuild),
  },
  /** Measures the limits of the machine with this number of threads, even if they are known. */
  'timing.ceilings': {
    input: z.object({ folder: z.string(), threads: z.int().min(1).max(1024) }),
    output: judgedCeilings,
  },
  /** What the device does in one forward, at the first point of its sweep. */
  'timing.kernels': {
    input: z.object({ folder: z.string(), job: z.string(), request: timingRequest }),
    output: kernelList,
  },
  /** Adds the benchmark to opsmith.json, if it is not there yet. */
  'timing.keep': {
    input: z.object({ folder: z.string(), entry: timingEntry }),
    output: z.object({ entry: z.int(), added: z.boolean() }),
  },
  ...runCalls,
  /** Inputs are those of opsmith.json where the request has none of that name. */
  'profile.run': {
    input: z.object({
      folder: z.string(),
      job: z.string(),
      request: profileRequest.omit({ program: true }),
      /** Seconds; 0 takes the settings'. */
      timeout: z.number().nonnegative(),
    }),
    output: profileReport,
  },
  /**
   * Writes a profile as a Chrome trace; `path` is relative to the project, "" asks the user. Null: they changed their
   * mind.
   */
  'profile.save': {
    input: z.object({ folder: z.string(), profile: z.int(), path: z.string() }),
    output: z.object({ path: z.string(), bytes: z.number() }).nullable(),
  },
  /** Functions with code in the library that was built last; kernels for the other forms. */
  'assembly.list': {
    input: z.object({ folder: z.string(), form: assemblyForm }),
    output: assemblyListing,
  },
  'assembly.show': {
    input: z.object({ folder: z.string(), choice: assemblyChoice }),
    output: assemblyReport,
  },
  /** The current function next to that of an earlier build, or of a compile with more flags. */
  'assembly.compare': {
    input: z.object({
      folder: z.string(),
      job: z.string(),
      choice: assemblyChoice,
      base: assemblySide,
      other: assemblySide,
    }),
    output: assemblyComparison,
  },
  /** clang's remarks on the project's lines, from a compile of this source; `file` is absolute or relative. */
  'assembly.remarks': {
    input: z.object({ folder: z.string(), job: z.string(), file: z.string() }),
    output: z.array(optimizationRemark),
  },
  /** llvm-mca's estimate of a loop of machine code. */
  'assembly.estimate': {
    input: z.object({ folder: z.string(), choice: assemblyChoice, loop: rowRange }),
    output: loopEstimate,
  },
  /** Every form, whether this project can take it, and why not. Nothing is built. */
  ...exportCalls,
  ...languageCalls,
  ...gitCalls,
  ...searchCalls,
  ...pytestCalls,
  ...kernelCalls,
  ...stepCalls,
  ...terminalCalls,
  ...setupCalls,
  /** `byUser`: the user stopped it, not a newer call; a call that ran for a while reports where it was. */
  'job.cancel': {
    input: z.object({ job: z.string(), byUser: z.literal(true).optional() }),
    output: z.object({ cancelled: z.boolean() }),
  },
  /** What a window needs to show the result of a job that it begins: another window may have to, see `job.left`. */
  'job.note': { input: noteOfJob, output: none },
  /** Jobs of a window that was killed, on an engine that goes on. Their calls are made again, with the same `job`. */
  'job.left': { input: none, output: z.array(noteOfJob) },
  'host.state': { input: none, output: hostState },
  /** Ends this generation and starts another. */
  'host.restart': { input: none, output: none },
  ...doctorCalls,
  ...versionCalls,
  ...remoteCalls,
  'settings.get': { input: none, output: settings },
  'settings.set': {
    input: settingsChange.omit({
      exportFolders: true,
      versionAddress: true,
      targets: true,
      clusters: true,
      hostLauncher: true,
    }),
    output: settings,
  },
  /** The choice of tools for one project, kept in its opsmith.json; "" removes it. */
  'project.setToolchain': {
    input: folder.extend(toolChoice.shape),
    output: none,
  },
  'layout.get': { input: none, output: z.string() },
  'layout.set': { input: z.object({ layout: z.string().max(1_000_000) }), output: none },
  /** The JSON Schema of opsmith.json, as text, for the editor. */
  'project.manifestSchema': { input: none, output: z.string() },
} as const

export type AppCalls = typeof appCalls
export type AppCallName = keyof AppCalls
export type AppInput<N extends AppCallName> = z.input<AppCalls[N]['input']>
export type AppOutput<N extends AppCallName> = z.output<AppCalls[N]['output']>

/** The events that main sends to the renderer, in the past tense. */
export const appEvents = {
  /** The project's files or manifest changed, by us or outside. */
  'project.changed': project,
  /** Opsmith was started again with a folder or a model: the open window opens it; "" for none. */
  'project.wanted': z.object({ folder: z.string(), model: z.string() }),
  /** A file changed on disk; `version` "" when it is gone. */
  'file.changed': z.object({ folder: z.string(), path: z.string(), version: z.string() }),
  /** Command lines and what compilers print, as it comes. */
  'build.output': z.object({ job: z.string(), text: z.string() }),
  'build.progressed': z.object({
    job: z.string(),
    done: z.int(),
    steps: z.int(),
    /** The steps that are under way: "op.cpp". */
    running: z.array(z.string()),
    /** The errors of the sources that failed so far, while others still compile. */
    errors: z.array(diagnostic),
  }),
  /** After a hot build: the plain build, which is in the project's folder, and is timed and exported. */
  'build.settled': z.object({ folder: z.string(), report: buildReport }),
  /** Of gradcheck.runAll, gradcheck.sweep and gradcheck.search: how far they are, and what is there already. */
  'gradcheck.progressed': z.object({
    job: z.string(),
    done: z.int(),
    total: z.int(),
    outcome: gradcheckOutcome.optional(),
    point: sweepPoint.optional(),
  }),
  /**
   * Of operatorCheck.runAll: how many operators have been checked; a first one says that none has, yet. Outcomes name
   * their places among operatorCheck.entries.
   */
  'operatorCheck.progressed': z.object({
    job: z.string(),
    done: z.int(),
    total: z.int(),
    outcome: operatorCheckOutcome.optional(),
  }),
  /** Of bench.run and bench.runAll: rows as they are done, and how many there will be. */
  'timing.progressed': z.object({
    job: z.string(),
    done: z.int(),
    total: z.int(),
    row: timingRow.optional(),
    /** What it waits for: "clangd reads the sources"; absent when it does not. */
    waiting: z.string().optional(),
  }),
  /**
   * Of export.run: a step that began (`running`) or is done (`step`), or a form that has ended (`report`); `done` of
   * `total` forms have.
   */
  ...exportEvents,
  /** Of doctor.gpu: a check that began, or one that is done. */
  'gpu.progressed': z.object({
    job: z.string(),
    running: gpuCheckName.optional(),
    check: gpuCheck.optional(),
  }),
  'language.changed': languageState,
  /** clangd's diagnostics of one version of an open file. */
  'language.diagnosed': languageDiagnostics,
  'host.changed': hostState,
  ...terminalEvents,
  ...setupEvents,
  ...versionEvents,
  ...remoteEvents,
  ...pytestEvents,
  ...runEvents,
  ...kernelEvents,
  ...stepEvents,
  /** What user code printed. `generation` 0 is a notice of ours. */
  'host.output': z.object({
    generation: z.int(),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
  }),
  /** Precompiled headers and other background work; `done` is 0..1, or -1 if it is unknown. */
  'background.progressed': z.object({ title: z.string(), done: z.number(), detail: z.string() }),
  /** Background work failed. No call waits for it, so no answer can report it. */
  'background.failed': workbenchError,
  /** Menu items; "flush" asks the renderer to keep drafts and layout at once and to call app.flushed. */
  'command.invoked': z.object({ command: z.string() }),
} as const
export type AppEvents = typeof appEvents
export type AppEventName = keyof AppEvents
export type AppEvent<N extends AppEventName> = z.output<AppEvents[N]>
