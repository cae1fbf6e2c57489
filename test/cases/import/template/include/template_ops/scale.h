#pragma once

constexpr double template_scale = 2.0;
