import type { Readable, Writable } from 'node:stream'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

import { BadFrame, FrameReader, frameHeader } from '../../contract/frames'
import { hello, protocolVersion } from '../../contract/serve'
import type { Hello } from '../../contract/serve'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'

const numberKey = '$number'

/** JSON has no NaN, no infinities and no -0. It is read by any Node and trusts nobody, as V8's own format does not. */
export function toText(message: unknown): string {
  return JSON.stringify(message, (_key, value: unknown) =>
    typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))
      ? { [numberKey]: Object.is(value, -0) ? '-0' : String(value) }
      : value,
  )
}

function fromText(text: string): unknown {
  // Most messages have none, and are read at once.
  if (!text.includes(numberKey)) return JSON.parse(text)
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && numberKey in value
      ? Number(value[numberKey])
      : value,
  )
}

/** Characters from which a message is compressed: a short one is in one packet anyway. */
const longMessage = 1024
/** The first byte of a message that is compressed; no JSON begins with it. */
const compressedMark = 1
/** Bytes of a message; JavaScript has no longer strings. */
const largestMessage = 2 ** 29
const newline = Buffer.from('\n')

/**
 * A message as it is sent. Long ones are compressed: texts and graphs become several times as short, which is what a
 * slow network takes time for, and the fastest level takes about 10 ms for a megabyte.
 */
export function payloadOf(text: string): Buffer {
  // It ends a line: srun passes only whole lines on.
  if (text.length < longMessage) return Buffer.from(`${text}\n`)
  const bytes = deflateRawSync(text, { level: 1 })
  return Buffer.concat([Buffer.of(compressedMark), bytes, newline])
}

function textOf(payload: Uint8Array): string {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  if (bytes[0] !== compressedMark) return bytes.toString('utf8')
  const packed = bytes.subarray(1, -newline.length)
  return inflateRawSync(packed, { maxOutputLength: largestMessage }).toString('utf8')
}

/** Writes a message in a frame. */
export function writeFrame(output: Writable, payload: Buffer): void {
  if (!output.writable) return
  output.cork()
  output.write(frameHeader(payload))
  output.write(payload)
  output.uncork()
}

export function sendHello(output: Writable, greeting: Hello): void {
  writeFrame(output, payloadOf(toText(greeting)))
}

/**
 * The messages of a stream, until it ends. While one is being looked at, no more is read.
 * @throws BadFrame where something else comes
 */
export async function* readMessages(
  input: Readable | AsyncIterable<Uint8Array>,
): AsyncGenerator<unknown, void> {
  const reader = new FrameReader()
  for await (const bytes of input as AsyncIterable<Uint8Array>) {
    for (const payload of reader.take(bytes)) {
      let message: unknown
      try {
        message = fromText(textOf(payload))
      } catch {
        throw new BadFrame('a message that cannot be read')
      }
      yield message
    }
  }
}

/** What `opsmith serve --resume` prints where no engine runs. */
export const sessionEnded = 'The engine of this session has ended.'

const sameVersion =
  'Both machines need the same version of Opsmith. To copy your Opsmith to the other machine, connect in the window, or add --copy to the command.'

export function helloOf(version: string, more: Partial<Hello> = {}): Hello {
  return { kind: 'hello', protocol: protocolVersion, version, ...more }
}

/**
 * Whether the first message of the other side is from the same Opsmith.
 * @param there where it runs, for the error: "The Opsmith on gpu"
 */
export function checkHello(message: unknown, version: string, there: string): Result<Hello> {
  const parsed = hello.safeParse(message)
  if (!parsed.success)
    return err('target.unavailable', `${there} did not say its version.`, { hint: sameVersion })
  return parsed.data.version === version && parsed.data.protocol === protocolVersion
    ? ok(parsed.data)
    : otherVersion(there, parsed.data.version, version)
}

/** @param there as above */
export function otherVersion(there: string, version: string, own: string): Result<never> {
  const isOther = version !== own
  return err(
    'target.noOpsmith',
    isOther
      ? `${there} has version ${version}, but this Opsmith has version ${own}.`
      : `${there} also has version ${version}, but it is another build with another protocol.`,
    { hint: sameVersion },
  )
}
