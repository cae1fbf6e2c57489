import { z } from 'zod'

import { projectTemplate } from './project'

const none = z.object({})

/** Whether the engine of the open project can be reached, if it is on another machine. */
export const connection = z.object({
  /** The name of the target, and the folder there; "" while the window works on this machine. */
  target: z.string(),
  folder: z.string(),
  state: z.enum(['none', 'open', 'lost', 'reconnecting']),
  /** Why the connection was lost, and what to do; "" while it is open. */
  message: z.string(),
  hint: z.string(),
  /** What was printed, for "show details". */
  detail: z.string(),
  /** Counts the engines: another number is an engine that knows nothing of what the one before did. */
  engine: z.int(),
  /** While the connection is lost: the engine there goes on, as far as is known. */
  isKept: z.boolean(),
  /** When Opsmith tries again, in milliseconds since 1970; 0 if it does not. */
  retryAt: z.number(),
})
export type Connection = z.infer<typeof connection>

/** A machine that the window can connect to. */
export const knownTarget = z.object({
  name: z.string(),
  kind: z.enum(['settings', 'ssh', 'recent']),
  /** The command of the settings, or the host's line of ~/.ssh/config. */
  detail: z.string(),
  /** Of recent projects there, newest first. */
  folders: z.array(z.string()),
})
export type KnownTarget = z.infer<typeof knownTarget>

/** A target, if the window of this machine asks; "" if this machine asks the engine of the other. */
const onTarget = z.object({ target: z.string() })

/** A folder of another machine, and those in it. */
export const remoteFolder = z.object({
  /** Absolute. */
  folder: z.string(),
  isProject: z.boolean(),
  folders: z.array(z.object({ name: z.string(), isProject: z.boolean() })),
  /** There are more. */
  isCut: z.boolean(),
})
export type RemoteFolder = z.infer<typeof remoteFolder>

/** What a project there can begin as. */
export const remoteStart = projectTemplate
  .pick({ id: true, title: true, description: true })
  .extend({ kind: z.enum(['template', 'sample']) })
export type RemoteStart = z.infer<typeof remoteStart>

/** Of the window about other machines: a part of appCalls. project.open with a target connects. */
export const remoteCalls = {
  'remote.targets': { input: none, output: z.array(knownTarget) },
  /** What is in a folder there: a full path, or one in the home folder. */
  'remote.folders': {
    input: onTarget.extend({ path: z.string().max(4_096) }),
    output: remoteFolder,
  },
  /** What a new project there can begin as, and the folder that it is made in. */
  'remote.starts': {
    input: onTarget,
    output: z.object({ starts: z.array(remoteStart), parent: z.string() }),
  },
  /** Makes a project there. */
  'remote.make': {
    input: onTarget.extend({
      kind: remoteStart.shape.kind,
      id: z.string().max(200),
      name: z.string().max(200),
      parent: z.string().max(4_096),
    }),
    output: z.object({ folder: z.string() }),
  },
  /** Ends a project.open that still connects, and a connection for remote.folders. */
  'remote.stop': { input: none, output: none },
  /** Tries to connect again at once. */
  'remote.reconnect': { input: none, output: none },
  /** The answer to remote.asked; null: the user cancelled. */
  'remote.answer': {
    input: z.object({ id: z.int(), path: z.string().nullable() }),
    output: none,
  },
} as const

export const remoteEvents = {
  'remote.changed': connection,
  /** What is awaited of a connection that is being made, and what its command prints. */
  'remote.progressed': z.object({ text: z.string() }),
  /** The engine there asks for a path of its machine. */
  'remote.asked': z.object({
    id: z.int(),
    target: z.string(),
    title: z.string(),
    path: z.string(),
  }),
} as const
