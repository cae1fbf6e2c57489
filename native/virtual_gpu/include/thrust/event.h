#pragma once
#error "thrust/event.h is not supported on the virtual GPU"
