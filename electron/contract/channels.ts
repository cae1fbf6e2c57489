/** The IPC channels between the renderer and main; every call and event goes through the first two. */
export const callChannel = 'opsmith:call'
export const eventChannel = 'opsmith:event'
/** Paths of files that the user dropped on the window; the preload alone reads them from the drop. */
export const dropChannel = 'opsmith:drop'
