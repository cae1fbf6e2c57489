/** Ends a command that was asked for something it cannot do. @returns {never} */
export function refuse(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
