import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { freePort } from './free-port'

/** Programs of OpenSSH that are not here, for the reason of a skip; "" if all are. */
export function missingSsh(): string {
  const missing = ['/usr/sbin/sshd', '/usr/bin/ssh', '/usr/bin/ssh-keygen'].filter(
    (file) => !fs.existsSync(file),
  )
  return missing.length === 0 ? '' : `${missing.join(', ')}: not installed`
}

export interface SshServer {
  /** A client's configuration: the hosts `gpu`, `noisy`, whose profile prints, and `dead`, where nobody listens. */
  configuration: string
  /** Ends it; connections go on. */
  stop(): Promise<void>
}

/** A real sshd on the loopback address, with keys of its own, for this user. @param folder for its files */
export async function startSshServer(folder: string): Promise<SshServer> {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = (name: string): string => path.join(folder, name)
  for (const name of ['host', 'user'])
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)])
  const [port, noisy, dead] = [await freePort(), await freePort(), await freePort()]
  // As root, sshd wants it.
  if (os.userInfo().uid === 0) fs.mkdirSync('/run/sshd', { recursive: true })
  fs.writeFileSync(
    file('server.conf'),
    `ListenAddress 127.0.0.1:${port}
ListenAddress 127.0.0.1:${noisy}
HostKey ${file('host')}
AuthorizedKeysFile ${file('user.pub')}
AuthenticationMethods publickey
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
Match LocalPort ${noisy}
  ForceCommand printf 'Welcome to the cluster!\\nToday: maintenance'; exec sh -c "$SSH_ORIGINAL_COMMAND"
`,
  )
  const hostKey = fs.readFileSync(file('host.pub'), 'utf8').trim()
  fs.writeFileSync(
    file('known_hosts'),
    [port, noisy].map((one) => `[127.0.0.1]:${one} ${hostKey}\n`).join(''),
  )
  const ports = Object.entries({ gpu: port, noisy, dead })
  const hosts = ports.map(
    ([name, one]) => `Host ${name}
  HostName 127.0.0.1
  Port ${one}
  User ${os.userInfo().username}
  IdentityFile ${file('user')}
  IdentitiesOnly yes
  BatchMode yes
  StrictHostKeyChecking yes
  UserKnownHostsFile ${file('known_hosts')}
`,
  )
  fs.writeFileSync(file('client.conf'), hosts.join(''))
  const server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', file('server.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  let said = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (text: Buffer) => {
      said += text.toString()
      if (said.split('Server listening').length > 2) resolve()
    })
    server.once('exit', () => reject(new Error(`sshd has ended: ${said}`)))
  })
  return {
    configuration: file('client.conf'),
    stop: async () => {
      server.kill()
      await ended
    },
  }
}
