import torch


def compute(x, y):
    """Control flow that a trace would lose: the branch depends on a pixel."""
    if bool(x[0][0] == 42):
        z = 5
    else:
        z = 10
    x = torch.ops.my_ops.warp_perspective(x, torch.eye(3))
    return x.matmul(y) + z


def pixel(image, row, column):
    """image[row, column] elementwise, zero outside the image."""
    inside = (row >= 0) & (row < image.size(0)) & (column >= 0) & (column < image.size(1))
    value = image[row.clamp(0, image.size(0) - 1), column.clamp(0, image.size(1) - 1)]
    return torch.where(inside, value, torch.zeros_like(value))


def warp_reference(image, warp):
    """What OpenCV computes: each pixel of the 8x8 result looks up where it came from, to 1/32 of a
    pixel, and blends the four pixels around that point."""
    inverse = torch.inverse(warp.to(torch.float64))
    steps = torch.arange(8, dtype=torch.float64)
    y, x = steps.reshape(8, 1), steps.reshape(1, 8)
    w = inverse[2, 0] * x + inverse[2, 1] * y + inverse[2, 2]
    column = torch.round(32 * (inverse[0, 0] * x + inverse[0, 1] * y + inverse[0, 2]) / w)
    row = torch.round(32 * (inverse[1, 0] * x + inverse[1, 1] * y + inverse[1, 2]) / w)
    left, top = torch.floor(column / 32), torch.floor(row / 32)
    right_share = (column / 32 - left).to(image.dtype)
    bottom_share = (row / 32 - top).to(image.dtype)
    j, i = left.to(torch.int64), top.to(torch.int64)
    upper = pixel(image, i, j) * (1 - right_share) + pixel(image, i, j + 1) * right_share
    lower = pixel(image, i + 1, j) * (1 - right_share) + pixel(image, i + 1, j + 1) * right_share
    return upper * (1 - bottom_share) + lower * bottom_share
