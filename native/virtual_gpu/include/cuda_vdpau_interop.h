#pragma once
#error "VDPAU interoperability is not supported on the virtual GPU"
