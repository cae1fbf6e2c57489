// node slow-pipe.mjs ROUND_TRIP BYTES COMMAND …: runs a command whose stdin and stdout are as slow as a far network:
// ROUND_TRIP milliseconds for there and back, BYTES a second in each direction. stderr is passed on at once. The file of
// the variable SLOW_LINK_COUNTS gets the bytes that went there, and those that came back.
import fs from 'node:fs'
import { spawn } from 'node:child_process'

/** A packet is this long at most: what is written last must not wait for a megabyte before it. */
const packetBytes = 16 * 1024
/** Bytes that wait to be sent before no more is read, as the buffer of a socket holds. */
const bufferBytes = 64 * 1024

const [roundTrip = '', rate = '', program = '', ...words] = process.argv.slice(2)
const delay = Number(roundTrip) / 2
const bytesPerMillisecond = Number(rate) / 1000
const countsFile = process.env['SLOW_LINK_COUNTS'] ?? ''
const counts = { there: 0, back: 0 }

/** Whoever reads the file finds whole counts in it, at any time. */
function noteCounts() {
  if (countsFile === '') return
  fs.writeFileSync(`${countsFile}.new`, JSON.stringify(counts))
  fs.renameSync(`${countsFile}.new`, countsFile)
}

/**
 * Copies a stream: each packet leaves when the ones before it have left, and arrives `delay` later.
 * @param {import('node:stream').Readable} input
 * @param {import('node:stream').Writable} output
 * @param {keyof typeof counts} direction
 */
function carry(input, output, direction) {
  /** When the line is free, as performance.now() counts. */
  let free = 0
  let waiting = 0
  let arrived = Promise.resolve()
  const at = (time) => new Promise((resolve) => setTimeout(resolve, time - performance.now()))

  const deliver = (time, packet) => {
    arrived = arrived.then(async () => {
      await at(time)
      if (!output.write(packet)) await new Promise((resolve) => output.once('drain', resolve))
    })
  }
  input.on('data', (bytes) => {
    counts[direction] += bytes.length
    noteCounts()
    for (let from = 0; from < bytes.length; from += packetBytes) {
      const packet = bytes.subarray(from, from + packetBytes)
      free = Math.max(free, performance.now()) + packet.length / bytesPerMillisecond
      waiting += packet.length
      deliver(free + delay, packet)
      void at(free).then(() => {
        waiting -= packet.length
        if (waiting < bufferBytes) input.resume()
      })
    }
    if (waiting >= bufferBytes) input.pause()
  })
  const ended = new Promise((resolve) => input.once('end', resolve))
  return ended.then(() => arrived)
}

const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] })
child.on('error', (error) => {
  process.stderr.write(`slow-pipe: ${error.message}\n`)
  process.exitCode = 127
})
child.stdin.on('error', () => undefined)
process.stdout.on('error', () => child.stdout.destroy())
void carry(process.stdin, child.stdin, 'there').then(() => child.stdin.end())
const answered = carry(child.stdout, process.stdout, 'back')
child.on('exit', (code) => {
  void answered.then(() => process.exit(code ?? 255))
})
