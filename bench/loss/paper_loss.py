"""The paper's class-balanced any-class focal loss as a plain PyTorch module, following its equations step by step
(arXiv 2506.05721): probabilities, logarithms of them, the any-class probability by the collapsed geometric mean."""

import torch
from torch import nn


class AnyClassFocalLoss(nn.Module):
    def __init__(self, class_weights, negative_weight, alpha=1.0, lam=0.02, gamma=2.0, epsilon=1e-8):
        super().__init__()
        self.register_buffer("class_weights", class_weights)
        self.negative_weight = negative_weight
        self.alpha, self.lam, self.gamma, self.epsilon = alpha, lam, gamma, epsilon

    def focal(self, probabilities, targets):
        truth = targets * probabilities + (1 - targets) * (1 - probabilities)
        return -((1 - truth) ** self.gamma) * torch.log(truth + self.epsilon)

    def forward(self, logits, targets):
        any_target = (targets.sum(dim=1) > 0).float()
        negative = 1 - any_target

        weights = torch.where(targets == 1, torch.ones_like(targets), torch.full_like(targets, self.lam))
        weights = torch.where(negative.unsqueeze(1) == 1, torch.ones_like(weights), weights)
        any_probability = torch.sigmoid((weights * logits).sum(dim=1) / weights.sum(dim=1))

        base = self.focal(torch.sigmoid(logits), targets).sum(dim=1)
        any_class = self.focal(any_probability, any_target)
        instance = (targets * self.class_weights).sum(dim=1) + negative * self.negative_weight
        return (instance * (base + self.alpha * any_class)).sum() / (targets.sum() + negative.sum())


class AnyClassAsymmetricLoss(AnyClassFocalLoss):
    """The same with ASL (arXiv 2009.14119) in place of focal loss, with gradients through its focusing weights."""

    def focal(self, probabilities, targets, gamma_positive=1.0, gamma_negative=4.0, clip=0.05):
        kept = (1 - probabilities + clip).clamp(max=1)
        truth = targets * probabilities + (1 - targets) * kept
        exponents = gamma_positive * targets + gamma_negative * (1 - targets)
        return -torch.pow(1 - truth, exponents) * torch.log(truth + self.epsilon)


def problem(rows, classes, device="cpu", loss=AnyClassFocalLoss):
    """Logits, targets with nine negative rows in ten, and weights that decrease from class to class."""
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(rows, classes, generator=generator).to(device).requires_grad_()
    positive = torch.rand(rows, 1, generator=generator) < 0.1
    targets = ((torch.rand(rows, classes, generator=generator) < 0.05) & positive).float().to(device)
    module = loss(torch.linspace(2, 0.1, classes), 0.1).to(device)
    return module, logits, targets
