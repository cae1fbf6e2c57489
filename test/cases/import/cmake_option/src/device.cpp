int device_count() { return SCALED_CUDA; }
