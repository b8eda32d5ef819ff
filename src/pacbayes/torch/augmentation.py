"""Random changes of images while a network learns: plain data, so that a stored training can name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample, pad

from pacbayes.torch.checks import check_name, check_positive, check_share, check_whole

__all__ = ["AUGMENTATIONS", "Augment", "Augmentation", "find_augmentation"]

Augment = Callable[[Tensor, torch.Generator], Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class Augmentation:
    """Each image of a batch shifted, turned, stretched, sheared, mirrored or with a rectangle erased, at random.

    Shifts alone are by whole pixels; with any of rotation, scale and shear all is done in one interpolation.

    Attributes
    ----------
    shift : int
        Largest number of pixels, in both directions.
    rotation : float
        Largest angle in degrees.
    scale : float
        Largest share by which height and width are stretched or shrunk, each by itself, in [0, 1).
    shear : float
        Largest shift of a row of pixels relative to its distance from the middle.
    flip : bool
        Whether half of the images are mirrored, left to right.
    erase : int
        Longest side of a rectangle that is set to zero in half of the images, in pixels; 0 or at least 2.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import Augmentation
    >>> images, generator = torch.rand(5, 1, 8, 8), torch.Generator().manual_seed(0)
    >>> Augmentation(shift=2, rotation=10, flip=True)(images, generator).shape
    torch.Size([5, 1, 8, 8])
    """

    shift: int = 0
    rotation: float = 0.0
    scale: float = 0.0
    shear: float = 0.0
    flip: bool = False
    erase: int = 0

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for name in ("shift", "erase"):
            check_whole(owner, name, getattr(self, name), 0)
        for name in ("rotation", "shear"):
            check_positive(owner, name, getattr(self, name), zero=True)
        check_share(owner, "scale", self.scale)
        if not isinstance(self.flip, bool) or self.erase == 1:
            raise ValueError(
                f"The 'flip' argument of {owner} must be True or False, and 'erase' 0 or at least 2. "
                f"Got {self.flip!r} and {self.erase!r} instead."
            )

    def __call__(self, batch: Tensor, generator: torch.Generator) -> Tensor:
        """Return a changed batch of images, of shape (images, channels, height, width)."""
        if batch.ndim != 4:
            raise ValueError(
                f"{type(self).__name__} changes images of shape (channels, height, width). "
                f"Got rows of shape {tuple(batch.shape[1:])} instead."
            )
        if self.rotation or self.scale or self.shear:
            batch = self._transform(batch, generator)
        elif self.shift:
            batch = self._move(batch, generator)
        if self.flip:
            mirrored = torch.rand(len(batch), 1, 1, 1, generator=generator).to(batch.device) < 0.5
            batch = torch.where(mirrored, batch.flip(3), batch)
        return self._erase(batch, generator) if self.erase else batch

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def _transform(self, batch: Tensor, generator: torch.Generator) -> Tensor:
        """Apply one affine map to each image; the grid's unit is half of a side."""
        count, height, width = len(batch), batch.shape[2], batch.shape[3]

        def draw(largest: float) -> Tensor:
            return (torch.rand(count, generator=generator) * 2.0 - 1.0) * largest

        angle, tall, wide, slant = draw(self.rotation * torch.pi / 180), draw(self.scale), draw(self.scale), draw(1.0)
        right, down = draw(2.0 * self.shift / width), draw(2.0 * self.shift / height)
        cosine, sine = torch.cos(angle), torch.sin(angle)
        upper = [cosine * (1.0 + wide), self.shear * slant - sine * (1.0 + tall), right]
        lower = [sine * (1.0 + wide), cosine * (1.0 + tall), down]
        maps = torch.stack([torch.stack(upper, 1), torch.stack(lower, 1)], 1).to(batch)
        return grid_sample(batch, affine_grid(maps, list(batch.shape), align_corners=False), align_corners=False)

    def _move(self, batch: Tensor, generator: torch.Generator) -> Tensor:
        """Cut each image out of a padded one, at a place of its own."""
        count, channels, height, width = batch.shape
        steps = torch.randint(2 * self.shift + 1, (2, count, 1, 1, 1), generator=generator)
        down, right = (torch.arange(height).view(-1, 1) + steps[0], torch.arange(width) + steps[1])
        wide = pad(batch, [self.shift] * 4)
        side = width + 2 * self.shift
        places = (down * side + right).reshape(count, 1, -1).to(batch.device)
        found = wide.reshape(count, channels, -1).gather(2, places.expand(count, channels, -1))
        return found.reshape(batch.shape)

    def _erase(self, batch: Tensor, generator: torch.Generator) -> Tensor:
        count, _, height, width = batch.shape
        one = (count, 1, 1, 1)
        chosen = torch.rand(one, generator=generator) < 0.5
        parts = []
        for side, places in ((height, torch.arange(height).view(-1, 1)), (width, torch.arange(width))):
            middle = torch.randint(side, one, generator=generator)
            length = torch.randint(2, self.erase + 1, one, generator=generator)
            parts.append((places - middle).abs() < length / 2)
        return batch.masked_fill((parts[0] & parts[1] & chosen).to(batch.device), 0.0)


AUGMENTATIONS: dict[str, Augmentation] = {
    "shift": Augmentation(shift=2),
    "affine": Augmentation(shift=2, rotation=10.0, scale=0.1, shear=0.1),
    "shift-flip": Augmentation(shift=2, flip=True),
    "shift-flip-erase": Augmentation(shift=2, flip=True, erase=8),
}


def find_augmentation(owner: str, given: str | Augment | Mapping[str, Any] | None) -> Augment | None:
    """Return what changes a batch, from its name, its plain data or itself, or say what it must be.

    Examples
    --------
    >>> from pacbayes.torch.augmentation import find_augmentation
    >>> find_augmentation("me", "shift")
    Augmentation(shift=2, rotation=0.0, scale=0.0, shear=0.0, flip=False, erase=0)
    """
    if given is None or (callable(given) and not isinstance(given, type)):
        return given
    if isinstance(given, Mapping):
        odd = sorted(map(str, given.keys() - {each.name for each in fields(Augmentation)}))
        if odd:
            raise ValueError(f"The 'augment' argument of {owner} must have the fields of Augmentation. Got {odd[0]}.")
        return Augmentation(**given)
    return AUGMENTATIONS[check_name(owner, "augment", given, AUGMENTATIONS)]
