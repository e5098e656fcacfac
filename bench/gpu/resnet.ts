// ResNet-18 (He et al., "Deep Residual Learning for Image Recognition", arXiv 1512.03385), as torchvision builds it.

import { nn, type Tensor, tidy } from '@anyclass/torch';

const { AdaptiveAvgPool2d, BatchNorm2d, Conv2d, Flatten, Linear, MaxPool2d, Module, ReLU, Sequential } = nn;

class Block extends Module {
  readonly conv1: nn.Conv2d;
  readonly bn1: nn.BatchNorm2d;
  readonly conv2: nn.Conv2d;
  readonly bn2: nn.BatchNorm2d;
  readonly shortcut: nn.Sequential | null;

  constructor(inputs: number, outputs: number, stride: number) {
    super();
    this.conv1 = new Conv2d(inputs, outputs, { kernel: 3, stride, padding: 1, bias: false });
    this.bn1 = new BatchNorm2d(outputs);
    this.conv2 = new Conv2d(outputs, outputs, { kernel: 3, padding: 1, bias: false });
    this.bn2 = new BatchNorm2d(outputs);
    this.shortcut =
      stride === 1 && inputs === outputs
        ? null
        : new Sequential(
            new Conv2d(inputs, outputs, { kernel: 1, stride, bias: false }),
            new BatchNorm2d(outputs),
          );
  }

  forward(x: Tensor): Tensor {
    return tidy(() => {
      const inner = this.bn1.forward(this.conv1.forward(x)).relu_();
      const outer = this.bn2.forward(this.conv2.forward(inner));
      return outer.add_(this.shortcut ? this.shortcut.forward(x) : x).relu_();
    });
  }
}

export function resnet18(classes: number): nn.Layer {
  const stages = [64, 128, 256, 512].flatMap((width, stage) => [
    new Block(stage === 0 ? 64 : width / 2, width, stage === 0 ? 1 : 2),
    new Block(width, width, 1),
  ]);
  return new Sequential(
    new Conv2d(3, 64, { kernel: 7, stride: 2, padding: 3, bias: false }),
    new BatchNorm2d(64),
    new ReLU({ inPlace: true }),
    new MaxPool2d({ kernel: 3, stride: 2, padding: 1 }),
    ...stages,
    new AdaptiveAvgPool2d(1),
    new Flatten(),
    new Linear(512, classes),
  );
}
