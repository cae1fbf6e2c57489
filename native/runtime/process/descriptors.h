// File descriptors that this process inherited.
#pragma once

namespace opsmith {

// Closes descriptors that the parent has left open in this process and that can be written to.
// Chromium leaves its connections open in its children, and exits if a child writes to them.
// Standard streams and `channel` stay; what user code starts does not get `channel`. To be called
// before user code, which may open such descriptors itself.
void close_inherited_descriptors(int channel);

}  // namespace opsmith
