#pragma once
#include <opsmith/gpu/thrust_algorithms.h>
#include <thrust/version.h>
