#pragma once
#error "nvCOMP is not supported on the virtual GPU"
