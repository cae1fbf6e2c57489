#pragma once
#error "Direct3D interoperability is not supported on the virtual GPU"
