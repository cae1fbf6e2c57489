#pragma once
#include <opsmith/gpu/thrust_random.h>
#include <thrust/version.h>
