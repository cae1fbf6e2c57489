#pragma once

constexpr double largest = CLIP_LIMIT;
