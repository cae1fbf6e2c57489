// cuda::std is the C++ standard library of the host: device code is host code here.
#pragma once

namespace std {}

namespace cuda::std {
using namespace ::std;
}
