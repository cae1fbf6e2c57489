import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import os from 'node:os'
import type { Readable, Writable } from 'node:stream'

import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node'
import type {
  CancellationToken,
  InitializeResult,
  ProtocolConnection,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol/node'

import type { TokenLegend } from '../../../contract/language'
import { findOnPath } from '../../toolchain/find-on-path'
import type { CompileCommand } from './compile-commands'
import { fileOfUri, uriOf } from './convert'
import type { ClangdDiagnostic } from './convert'
import type { ClangdProgram } from '../../toolchain/find-clangd'

export interface ServerEvents {
  onDiagnostics: (file: string, version: number, diagnostics: ClangdDiagnostic[]) => void
  /** It reads the file or its headers (true), or is done with it. */
  onBusy: (file: string, busy: boolean) => void
  /** It ended without being asked to: how, and the last of what it printed. */
  onEnd: (reason: string, lastOutput: string) => void
}

const gibibyte = 2 ** 30
const keptOutput = 4096

/**
 * Options that leave the machine to builds: nothing is indexed but what is open, and what is found
 * stays in memory, so that a killed clangd leaves no file behind.
 */
function serverArguments(commandsFolder: string, queryDriver: string): string[] {
  const cores = os.availableParallelism?.() ?? os.cpus().length
  return [
    `--compile-commands-dir=${commandsFolder}`,
    '--background-index=false',
    // With one, completion waits for as long as another file's headers are read.
    `-j=${Math.max(2, Math.floor(cores / 4))}`,
    `--pch-storage=${os.totalmem() >= 6 * gibibyte ? 'memory' : 'disk'}`,
    '--limit-results=100',
    '--limit-references=1000',
    '--header-insertion=never',
    '--completion-style=detailed',
    '--log=error',
    ...(queryDriver === '' ? [] : [`--query-driver=${queryDriver}`]),
  ]
}

const capabilities = {
  general: { positionEncodings: ['utf-16'] },
  workspace: { applyEdit: true, semanticTokens: { refreshSupport: false } },
  textDocument: {
    publishDiagnostics: { relatedInformation: true, codeActionsInline: true },
    completion: {
      completionItem: {
        snippetSupport: true,
        documentationFormat: ['markdown', 'plaintext'],
        labelDetailsSupport: true,
        tagSupport: { valueSet: [1] },
      },
      completionItemKind: { valueSet: Array.from({ length: 25 }, (_, index) => index + 1) },
    },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    signatureHelp: {
      signatureInformation: {
        documentationFormat: ['markdown', 'plaintext'],
        parameterInformation: { labelOffsetSupport: true },
      },
    },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    rename: { prepareSupport: true },
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor', 'info'] } },
    },
    semanticTokens: {
      requests: { full: true, range: false },
      tokenTypes: [],
      tokenModifiers: [],
      formats: ['relative'],
    },
    inlayHint: {},
  },
}

interface ServerFolders {
  /** The project's. */
  folder: string
  /** With its compile_commands.json. */
  commandsFolder: string
  /** A compiler that clangd asks for its header folders; "" for none. */
  queryDriver: string
  /** Where clangd looks for the user's configuration; undefined for its own place. */
  configHome: string | undefined
}

/** One life of clangd. It speaks LSP on its standard streams; vscode-jsonrpc frames and matches. */
export class ClangdServer {
  readonly connection: ProtocolConnection
  legend: TokenLegend = { types: [], modifiers: [] }
  private ended = false
  private lastOutput = ''
  private readonly folder: string
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  private applied: WorkspaceEdit | undefined

  constructor(
    clangd: ClangdProgram,
    { folder, commandsFolder, queryDriver, configHome }: ServerFolders,
    private readonly events: ServerEvents,
  ) {
    this.folder = folder
    const args = serverArguments(commandsFolder, queryDriver)
    // Builds come first: it gets a quarter of a core that somebody else wants as well.
    const nice = findOnPath('nice')
    const [command, words] = nice ? [nice, ['-n', '5', clangd.path, ...args]] : [clangd.path, args]
    this.child = spawn(command, words, {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...(configHome === undefined ? {} : { XDG_CONFIG_HOME: configHome }) },
    })
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.lastOutput = (this.lastOutput + text).slice(-keptOutput)
    })
    this.child.stdin.on('error', () => undefined)
    this.child.on('error', (error) => {
      this.end(`could not be started: ${error.message}`)
    })
    this.child.on('exit', (code, signal) => {
      this.end(signal ? `was killed by ${signal}` : `exited with code ${code ?? 0}`)
    })
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.child.stdout),
      new StreamMessageWriter(this.child.stdin),
    )
    this.listen()
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  private listen(): void {
    const { connection, events } = this
    connection.onNotification(
      'textDocument/publishDiagnostics',
      (params: { uri: string; version?: number; diagnostics: ClangdDiagnostic[] }) => {
        // Without a version it speaks of another file than those that are open: of its own settings.
        if (params.version === undefined) return
        events.onDiagnostics(fileOfUri(params.uri), params.version, params.diagnostics)
      },
    )
    connection.onNotification(
      'textDocument/clangd.fileStatus',
      (params: { uri: string; state: string }) => {
        events.onBusy(fileOfUri(params.uri), params.state !== 'idle')
      },
    )
    connection.onRequest('workspace/applyEdit', (params: { edit: WorkspaceEdit }) => {
      this.applied = params.edit
      return { applied: true }
    })
    connection.onError(() => undefined)
    connection.listen()
  }

  async initialize(): Promise<void> {
    const result: InitializeResult = await this.connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: uriOf(this.folder),
      capabilities,
      initializationOptions: { clangdFileStatus: true },
    })
    const provider = result.capabilities.semanticTokensProvider
    if (provider) {
      this.legend = {
        types: provider.legend.tokenTypes,
        modifiers: provider.legend.tokenModifiers,
      }
    }
    this.notify('initialized', {})
  }

  /** Never throws: what is said to a clangd that has just ended is said again to the next. */
  notify(method: string, params: object): void {
    if (!this.ended) this.connection.sendNotification(method, params).catch(() => undefined)
  }

  async request<T>(method: string, params: object, token: CancellationToken): Promise<T> {
    return await this.connection.sendRequest<T>(method, params, token)
  }

  /** Commands that take the place of those in compile_commands.json, at once. */
  useCommands(commands: readonly CompileCommand[]): void {
    const changes = Object.fromEntries(
      commands.map((one) => [
        one.file,
        { workingDirectory: one.directory, compilationCommand: one.arguments },
      ]),
    )
    this.notify('workspace/didChangeConfiguration', {
      settings: { compilationDatabaseChanges: changes },
    })
  }

  /** The edits that a command of a code action asks for. */
  async editsOf(
    command: { command: string; arguments?: unknown[] },
    token: CancellationToken,
  ): Promise<WorkspaceEdit | undefined> {
    this.applied = undefined
    await this.request('workspace/executeCommand', command, token)
    return this.applied
  }

  private end(reason: string): void {
    if (this.ended) return
    this.ended = true
    this.connection.dispose()
    this.events.onEnd(reason, this.lastOutput)
  }

  /** It holds nothing that is worth waiting for. */
  stop(): void {
    this.ended = true
    this.connection.dispose()
    this.child.kill('SIGKILL')
  }
}
