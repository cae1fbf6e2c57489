import { HostServer } from './host-server'
import { hostPort } from './port'

/** Entry of the op host process; its parent is the app's main process or the command line. */
new HostServer(hostPort()).start()
