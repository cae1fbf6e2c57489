import { z } from 'zod'

import { openQuestion, question, saveQuestion } from './desktop'
import { workbenchError } from './outcome'

/** Of the messages below. Calls and events belong to Opsmith's version, which both sides must share. */
export const protocolVersion = 3

/** The line before the first frame of `opsmith serve --stdio`: a shell's profile may print before it. */
export const framesFollow = 'opsmith serve: frames follow\n'
/** The line before the answer of a verb that runs for `--on`. */
export const answerFollows = 'opsmith: the answer follows\n'

const id = z.int().nonnegative()

/** The name of a session: whoever gives it again is connected with the same engine. */
export const sessionName = z.string().regex(/^[\w-]{8,64}$/)

/** The first message in each direction. */
export const hello = z.object({
  kind: z.literal('hello'),
  protocol: z.int(),
  version: z.string(),
  /** Of the user's side: which window it is. Of the engine: the window that it works for; absent before the first. */
  window: z.string().max(64).exactOptional(),
  /** Of the user's side: the window of before, which is gone and whose engine this one goes on with. */
  takesOver: z.string().max(64).exactOptional(),
  /** The number of the last message that this side has received in the session. */
  received: id.exactOptional(),
  /** Of the engine: it goes on if the connection is lost. */
  isKept: z.boolean().exactOptional(),
})
export type Hello = z.infer<typeof hello>

/**
 * What both send after that. Messages are numbered from 1. Both keep those that the other has not confirmed, and send
 * them again over the next connection.
 */
export const numbered = z.union([
  z.object({ number: id, message: z.unknown() }),
  z.object({ received: id }),
])

/** What the user's side sends. The engine parses the input of a call as `appCalls` says. */
export const messageToEngine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), id, call: z.string(), input: z.unknown() }),
  /** A path or null, or the place of a button; see `questions`. */
  z.object({ kind: z.literal('answer'), id, answer: z.unknown() }),
  /** The engine ends its jobs, and itself. */
  z.object({ kind: z.literal('end') }),
])
export type MessageToEngine = z.infer<typeof messageToEngine>

/** What the engine asks the user. */
const asked = z.discriminatedUnion('dialog', [
  z.object({ dialog: z.literal('open'), question: openQuestion }),
  z.object({ dialog: z.literal('save'), question: saveQuestion }),
  z.object({ dialog: z.literal('message'), question }),
])
export type Asked = z.infer<typeof asked>

/** The answers to dialogs. */
export const answers = {
  open: z.string().nullable(),
  save: z.string().nullable(),
  message: z.int().nonnegative(),
} as const
export type Answer = z.infer<(typeof answers)[Asked['dialog']]>

/** What the engine sends. The user's side parses results and events as `appCalls` and `appEvents` say. */
export const messageFromEngine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('result'),
    id,
    result: z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), value: z.unknown() }),
      z.object({ ok: z.literal(false), error: workbenchError }),
    ]),
  }),
  z.object({ kind: z.literal('event'), name: z.string(), payload: z.unknown() }),
  z.object({ kind: z.literal('question'), id, asked }),
])
export type MessageFromEngine = z.infer<typeof messageFromEngine>
