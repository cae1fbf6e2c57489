import torch


def attention(query, key, value):
    """Attention of one head: for each query, the mean of the values, weighted by softmax."""
    scale = query.size(-1) ** -0.5
    weights = torch.ops.softmax.softmax(query.matmul(key.transpose(-2, -1)) * scale)
    return weights.matmul(value)


def attention_reference(query, key, value):
    """The same result with PyTorch's own operator."""
    return torch.scaled_dot_product_attention(query, key, value)
