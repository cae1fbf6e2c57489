/** The two IPC channels between the renderer and main; every call and event goes through them. */
export const callChannel = 'opsmith:call'
export const eventChannel = 'opsmith:event'
