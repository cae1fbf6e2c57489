import torch


def new_h(input, weights, bias, old_h, old_cell):
    """The first result of the cell."""
    return torch.ops.lltm.cell(input, weights, bias, old_h, old_cell)[0]


def new_h_reference(input, weights, bias, old_h, old_cell):
    """The same result with separate tensor operations: each of them reads and writes memory."""
    gates = torch.addmm(bias, torch.cat([old_h, input], 1), weights.t())
    input_gate, output_gate, candidate = gates.chunk(3, 1)
    new_cell = old_cell + torch.elu(candidate) * torch.sigmoid(input_gate)
    return torch.tanh(new_cell) * torch.sigmoid(output_gate)


def sequence(inputs, weights, bias, h, cell):
    """The last state after all steps. inputs: [steps, batch, features]."""
    for step in range(inputs.size(0)):
        h, cell = torch.ops.lltm.cell(inputs[step], weights, bias, h, cell)
    return h


def sequence_reference(inputs, weights, bias, h, cell):
    for step in range(inputs.size(0)):
        gates = torch.addmm(bias, torch.cat([h, inputs[step]], 1), weights.t())
        input_gate, output_gate, candidate = gates.chunk(3, 1)
        cell = cell + torch.elu(candidate) * torch.sigmoid(input_gate)
        h = torch.tanh(cell) * torch.sigmoid(output_gate)
    return h
