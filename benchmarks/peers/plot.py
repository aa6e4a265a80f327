"""Line plots as SVG: speed over size, several panels side by side under one legend."""

import dataclasses
import html
import math

# The palette of Okabe and Ito, which colour-blind people can distinguish.
COLOURS = ["#0072b2", "#56b4e9", "#000000", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#7f7f7f", "#8c564b", "#bcbd22"]
WIDTH, HEIGHT = 320, 240  # of a panel's axes
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 56, 44


@dataclasses.dataclass
class Panel:
    title: str
    unit: str
    lines: dict  # name -> [(size, value)]
    marks: dict  # name -> size: vertical lines; sizes are in bytes if there are any


def size_text(size, in_bytes):
    for unit, scale in (("Mi", 1 << 20), ("Ki", 1 << 10)):
        if size >= scale:
            return f"{size / scale:g} {unit}{'B' if in_bytes else ''}"
    return f"{size:g}{' B' if in_bytes else ''}"


def round_step(most, count=5):
    """A step of 1, 2 or 5 times a power of ten, so that about `count` steps make `most`."""
    power = 10 ** math.floor(math.log10(most / count))
    return next(s * power for s in (1, 2, 5, 10) if s * power * count >= most)


def text(x, y, said, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{html.escape(said)}</text>'


def line(x1, y1, x2, y2, colour, extra=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{extra}/>'


def style_of(name, order):
    at = order.index(name) % len(COLOURS)
    wide, dashed = name == order[0], name == "limit"
    return COLOURS[at], 2.5 if wide else 1.5, ' stroke-dasharray="5 3"' if dashed else ""


def panel(p, order, left):
    points = [point for points in p.lines.values() for point in points]
    least, most = (math.log2(f(x for x, _ in points)) for f in (min, max))
    step = round_step(max(y for _, y in points))
    top = math.ceil(max(y for _, y in points) / step) * step
    x_at = lambda size: left + (math.log2(size) - least) / (most - least or 1) * WIDTH
    y_at = lambda value: TOP + HEIGHT - value / top * HEIGHT
    out = [text(left + WIDTH / 2, TOP - 8, p.title, extra=' font-weight="bold"'), text(left - 8, TOP - 8, p.unit, "end")]
    for i in range(round(top / step) + 1):
        y = y_at(i * step)
        out += [line(left, y, left + WIDTH, y, "#e4e4e4"), text(left - 6, y + 4, f"{i * step:g}", "end")]
    every = max(1, math.ceil((most - least) / 6))
    for power in range(math.ceil(least), math.floor(most) + 1, every):
        x = x_at(2**power)
        out.append(line(x, TOP + HEIGHT, x, TOP + HEIGHT + 4, "#444"))
        out.append(text(x, TOP + HEIGHT + 18, size_text(2**power, bool(p.marks))))
    for name, size in p.marks.items():
        if least < math.log2(size) < most:
            x = x_at(size)
            out.append(line(x, TOP, x, TOP + HEIGHT, "#b0b0b0", ' stroke-dasharray="2 3"'))
            out.append(text(x - 4, TOP + 12, name, "end", ' fill="#777"'))
    out.append(line(left, TOP + HEIGHT, left + WIDTH, TOP + HEIGHT, "#444"))
    for name in reversed([n for n in order if n in p.lines]):  # placement is drawn on top
        colour, width, dash = style_of(name, order)
        path = " ".join(f"{x_at(x):.1f},{y_at(y):.1f}" for x, y in sorted(p.lines[name]))
        pen = f'stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"{dash}'
        out.append(f'<polyline points="{path}" fill="none" {pen}/>')
    out.append(text(left + WIDTH / 2, TOP + HEIGHT + 36, "memory held" if p.marks else "size"))
    return out


def legend(order):
    out, x = [], LEFT
    for name in order:
        colour, width, dash = style_of(name, order)
        out.append(line(x, 18, x + 22, 18, colour, f' stroke-width="{width}"{dash}'))
        out.append(text(x + 27, 22, name, "start"))
        x += 46 + 7 * len(name)
    return out


def picture(panels, first=()):
    """All panels as one SVG. `first`: names with fixed colours; missing ones are ignored."""
    names = {name for p in panels for name in p.lines}
    order = [n for n in first if n in names] + sorted(names - set(first))
    each = LEFT + WIDTH + RIGHT
    body = legend(order)
    for i, p in enumerate(panels):
        body += panel(p, order, i * each + LEFT)
    width, height = max(each * len(panels), 60 + sum(46 + 7 * len(n) for n in order)), TOP + HEIGHT + BOTTOM
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>', *body, "</svg>", ""])  # fmt: skip
