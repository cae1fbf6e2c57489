#pragma once
#error "EGL interoperability is not supported on the virtual GPU"
