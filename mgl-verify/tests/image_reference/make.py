#!/usr/bin/env python3
"""Makes the image pairs of this folder and the figures that other implementations give for them.

Needs numpy, Pillow, scikit-image and flip-evaluator (all on PyPI). All content is generated.
Run it in this folder; it writes NAME-a.png, NAME-b.png and reference.json.
"""
import json

import flip_evaluator
import numpy
import skimage
from PIL import Image
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

TILE = 32
random = numpy.random.default_rng(20040401)


def opaque(rgb):
    rgb = numpy.clip(numpy.rint(rgb), 0, 255).astype(numpy.uint8)
    return numpy.dstack([rgb, numpy.full(rgb.shape[:2], 255, numpy.uint8)])


def gradient(width, height):
    x = numpy.linspace(0, 255, width)[None, :].repeat(height, 0)
    y = numpy.linspace(255, 0, height)[:, None].repeat(width, 1)
    return numpy.dstack([x, y, (x + y) / 2])


def discs(width, height, colours):
    """Filled circles on a gradient."""
    image = gradient(width, height) / 3
    yy, xx = numpy.mgrid[:height, :width]
    for cx, cy, radius, colour in colours:
        image[(xx - cx) ** 2 + (yy - cy) ** 2 <= radius**2] = colour
    return image


def glyphs(width, height, shift=0):
    """Rows of upright strokes in white on black, like text."""
    yy, xx = numpy.mgrid[:height, :width]
    stroke = ((xx + shift) * 7 % 11 < 4) & (yy % 12 < 8) & ((xx // 6 + yy // 12) % 3 != 0)
    return numpy.dstack([stroke * 255.0] * 3)


def pairs():
    base = gradient(45, 37)
    yield "noise", base, base + random.normal(0, 20, base.shape)
    flat = numpy.full((40, 50, 3), 250.0)
    yield "bright-off-by-one", flat, flat - random.integers(0, 2, flat.shape)
    dark = numpy.full((33, 43, 3), 10.0)
    yield "bright-dark", dark + 190, dark + random.integers(0, 2, dark.shape)
    yield "shifted-text", glyphs(130, 75), glyphs(130, 75, shift=1)
    checker = (numpy.indices((48, 64)).sum(0) // 3 % 2 * 255.0)[..., None].repeat(3, 2)
    yield "inverse-checker", checker, 255 - checker
    # Same BT.709 luma, another hue: 140 * 0.2126 = 41.6 * 0.7152.
    hue = numpy.full((34, 70, 3), 60.0)
    other = hue.copy()
    hue[8:26, 10:50, 0] += 140
    other[8:26, 10:50, 1] += 140 * 0.2126 / 0.7152
    yield "hue", hue, other
    left = [(40, 40, 20, (220, 40, 30)), (150, 60, 30, (30, 200, 60)), (230, 30, 6, (250, 250, 90))]
    yield "lost-disc", discs(260, 100, left), discs(260, 100, left[:2])
    small = gradient(11, 11)
    yield "eleven", small, small[::-1]
    thin = gradient(100, 12)
    yield "thin", thin, thin * 0.9


def tiles(full):
    """Mean of each 32x32 tile, with its corner."""
    height, width = full.shape
    for y in range(0, height, TILE):
        for x in range(0, width, TILE):
            yield full[y : y + TILE, x : x + TILE].mean(), x, y


def ssim(a, b):
    mean, full = structural_similarity(
        a, b, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=255, full=True
    )
    worst, x, y = min(tiles(full))
    return {"mean": float(mean), "worst_tile": float(worst), "tile_x": x, "tile_y": y}


def measure(a, b):
    x, y = a.astype(float), b.astype(float)
    luma = [0.2126, 0.7152, 0.0722]
    planes = {"luma": ssim(x[..., :3] @ luma, y[..., :3] @ luma)}
    for i, name in enumerate(["red", "green", "blue"]):
        planes[name] = ssim(x[..., i], y[..., i])
    difference = numpy.abs(x - y)[..., :3]
    unit = [numpy.ascontiguousarray(image[..., :3] / 255, numpy.float32) for image in (x, y)]
    error_map, _, _ = flip_evaluator.evaluate(*unit, "LDR", applyMagma=False)
    errors = numpy.sort(error_map.ravel())
    return {
        "ssim": planes,
        "psnr_db": float(peak_signal_noise_ratio(x[..., :3], y[..., :3], data_range=255)),
        "max_difference": int(difference.max()),
        "mean_difference": float(difference.mean()),
        "differing": int((difference.max(2) > 0).sum()),
        "flip_mean": float(errors.mean(dtype=float)),
        "flip_p99": float(errors[-(-len(errors) * 99 // 100) - 1]),
    }


def main():
    figures = {}
    for name, a, b in pairs():
        a, b = opaque(a), opaque(b)
        for side, image in (("a", a), ("b", b)):
            Image.fromarray(image[..., :3]).save(f"{name}-{side}.png", optimize=True)
        figures[name] = measure(a, b)
    made_by = {"scikit-image": skimage.__version__, "numpy": numpy.__version__}
    with open("reference.json", "w") as file:
        json.dump({"made_by": made_by, "pairs": figures}, file, indent=1)
        file.write("\n")


main()
