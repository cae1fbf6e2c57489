import type { Readable, Writable } from 'node:stream'

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

/** Writes a message in a frame. It ends a line: srun passes only whole lines on. */
export function writeFrame(output: Writable, text: string): void {
  if (!output.writable) return
  const payload = Buffer.from(`${text}\n`)
  output.cork()
  output.write(frameHeader(payload))
  output.write(payload)
  output.uncork()
}

export function sendHello(output: Writable, greeting: Hello): void {
  writeFrame(output, toText(greeting))
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
        message = fromText(Buffer.from(payload).toString('utf8'))
      } catch {
        throw new BadFrame('a message that is not JSON')
      }
      yield message
    }
  }
}

export function helloOf(version: string, more: Partial<Hello> = {}): Hello {
  return { kind: 'hello', protocol: protocolVersion, version, ...more }
}

/**
 * Whether the first message of the other side is from the same Opsmith.
 * @param there where it runs, for the error: "The Opsmith on gpu"
 */
export function checkHello(message: unknown, version: string, there: string): Result<Hello> {
  const parsed = hello.safeParse(message)
  if (!parsed.success) return err('target.unavailable', `${there} did not say its version.`)
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
      : `${there} has version ${version} as well, but it is another build: it speaks another protocol.`,
    {
      hint: 'Both machines need the same version of Opsmith. To copy this one, connect in the window, or add --copy to the command.',
    },
  )
}
