#pragma once
#include <opsmith/gpu/thrust_memory.h>
#include <thrust/version.h>
