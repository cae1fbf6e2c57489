#pragma once
#error "OpenGL interoperability is not supported on the virtual GPU"
