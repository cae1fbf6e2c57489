import { HostServer } from './host-server'
import { openHostPort } from './port'

// Electron runs this as Node does; what user code starts need not.
delete process.env['ELECTRON_RUN_AS_NODE']

/** Entry of the op host process; its parent is the app's main process or the command line. */
new HostServer(openHostPort()).start()
