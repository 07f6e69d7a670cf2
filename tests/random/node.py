"""A statement as nested parts, so that the reducer can drop some: the smallest text that still shows what was found."""
import time


class Node(list):
    """Parts in order. `options` are shorter texts for the same place, the shortest last or first as it may be."""

    def __init__(self, parts, options=()):
        super().__init__(parts)
        self.options = list(options)

    def __str__(self):
        return "".join(map(str, self))


def optional(*parts):
    """Parts that may be left out together."""
    return Node(parts, [""])


def joined(parts, separator=", "):
    """A list with at least its first part; the others may be left out one by one."""
    parts = list(parts)
    return Node([parts[0], *(optional(separator, part) for part in parts[1:])]) if parts else ""


def places(node):
    """(parent, index) of every part, outer ones first."""
    for i, part in enumerate(node):
        if isinstance(part, Node):
            yield node, i
            yield from places(part)


def reduce_node(node, differs, tries=400, seconds=20):
    """`node` with parts replaced by their options while `differs(node)` holds; changes the node itself."""
    root, changed, until = Node([node]), True, time.monotonic() + seconds
    while changed and tries > 0 and time.monotonic() < until:
        changed = False
        for parent, i in list(places(root)):
            part = parent[i]
            for option in part.options:
                parent[i] = option
                tries -= 1
                if differs(root):
                    changed = True
                    break
                parent[i] = part
            if changed or tries <= 0:
                break
    return root
