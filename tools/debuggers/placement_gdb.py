"""Printers of gdb for the types of placement: tensors, views, expressions, shapes, devices.

In gdb, or in ~/.gdbinit:   source PREFIX/share/placement/gdb/placement_gdb.py

They read memory only, and never call a function of the program. So they also work on a core file, at any point of the
program, and while other threads hold locks. Elements in a GPU's memory are not read, because its work may not be done.
docs/debugging.md of placement shows what they print. They need gdb 9 with Python 3.
"""
import re
import struct

import gdb
import gdb.printing

INT_MIN64 = -(1 << 63)  # pl::range::open

# ---- types


def type_name(type_):
    """The name of a type without const, references, aliases."""
    if type_.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        type_ = type_.target()
    type_ = type_.unqualified().strip_typedefs()
    return type_.name or str(type_)


def split_name(name):
    """'placement::v0_1::extents<2l, 3l>' -> ('extents', ['2l', '3l'])."""
    head, _, rest = name.partition("<")
    arguments, depth, begin = [], 1, 0
    for i, c in enumerate(rest):
        if c in "<([{":
            depth += 1
        elif c in ">)]}" and rest[i - 1:i + 1] != "->":
            depth -= 1
        if (c == "," and depth == 1) or depth == 0:
            arguments.append(rest[begin:i].strip())
            begin = i + 1
            if depth == 0:
                break
    return head.rsplit("::", 1)[-1], [a for a in arguments if a]


def short_type(name):
    """'placement::v0_1::float16' -> 'float16'."""
    return re.sub(r"\bplacement::(v\d+_\d+::)?(detail::)?", "", name)


def numbers_in(arguments):
    """The integers among the arguments of a template: ['2l', '(placement::v0_1::kind)1'] -> [2, 1]."""
    found = (re.match(r"(?:\(.*\))?(-?\d+)[uUlL]*$", a) for a in arguments)
    return [int(m.group(1)) for m in found if m]


def is_stored(field):
    """Whether a field is in each object: static ones have no position."""
    return getattr(field, "bitpos", None) is not None


def fields_of(value, members):
    """The members as integers."""
    return [int(value[m]) for m in members]


# ---- shapes


def shape_of(extents):
    """The extents of a value of type extents<...>, as a list."""
    static = numbers_in(split_name(type_name(extents.type))[1])
    if -1 not in static:
        return static
    return [int(extents["n"][d]) for d in range(len(static))]


def list_text(items):
    return "[" + ", ".join(str(i) for i in items) + "]"


def count_of(shape):
    count = 1
    for n in shape:
        count *= n
    return count


# ---- devices


def device_text(device):
    """'/GPU:1'; '' for no device."""
    kind, index = fields_of(device, ("type", "index"))
    if kind not in (1, 2):
        return ""
    return "/%s:%s" % ("CPU" if kind == 1 else "GPU", "*" if index < 0 else index)


def spec_text(spec):
    """The name in a device_spec: see device/device_spec.hpp for its bits."""
    bits = int(spec["bits_"])
    if bits == 0:
        return ""
    if bits & 1 << 31:
        return interned_text(bits & 0x7FFF)
    parts = [text for bit, text in ((24, "/job:localhost"), (25, "/replica:0"), (26, "/task:0")) if bits & 1 << bit]
    kind, index = bits >> 27 & 3, (bits & 0xFFFFFF) - 1
    if kind != 0:
        parts.append("/%s%s:%s" % ("device:" if parts else "", "CPU" if kind == 1 else "GPU", "*" if index < 0 else index))
    if bits & 1 << 30:
        parts.append("by a rule" if not parts else " by a rule")
    return "".join(parts) or "no preference"


def string_view_text(view):
    size = int(view["_M_len"])
    return view["_M_str"].string(length=size, errors="replace") if size else ""


def name_text(name):
    """The parts of a device_name."""
    job, type_ = string_view_text(name["job"]), string_view_text(name["type"])
    replica, task, index = fields_of(name, ("replica", "task", "index"))
    text = "/job:" + job if job else ""
    text += "/replica:%d" % replica if replica >= 0 else ""
    text += "/task:%d" % task if task >= 0 else ""
    return text + ("/device:%s:%s" % (type_, "*" if index < 0 else index) if type_ else "")


seen_namespaces = set()  # the inline namespaces of the types that were printed: 'v0_1::'


def global_value(name):
    """A variable of the library. Throws: gdb.error where the program has none."""
    for namespace in sorted(seen_namespaces) or [""]:
        try:
            return gdb.parse_and_eval("'placement::%sdetail::%s'" % (namespace, name))
        except gdb.error:
            continue
    raise gdb.error("the program has no " + name)


def interned_text(number):
    """A name in the process's table of device names."""
    try:
        table = global_value("names_of_process()::table")
        return name_text(table["entries_"][number]["_M_b"]["_M_p"]["name"])
    except (gdb.error, TypeError):
        return "device name %d" % number


def label_text(label):
    """The text of a label: an entry of the process's table. '' for none, or where there is no table."""
    number = int(label)
    own, is_scope = number & 0x7FFFFFFF, number >> 31 & 1
    if own == 0 or is_scope:
        return ""
    try:
        return searched_label(global_value("labels_of_process")["first"], own)
    except (gdb.error, TypeError):
        return "label %d" % own


def searched_label(lists, number):
    low, high = lists.type.range()
    for i in range(low, high + 1):
        entry = word_of(lists[i])
        while int(entry) != 0:
            if int(entry["number"]) == number:
                return std_string(entry["text"])
            entry = entry["next"]
    return "label %d" % number


def word_of(shared):
    """The value in a shared_word."""
    return next(shared[f.name] for f in shared.type.strip_typedefs().fields() if is_stored(f))


def std_string(text):
    return text["_M_dataplus"]["_M_p"].string(length=int(text["_M_string_length"]), errors="replace")


def site_text(site):
    """'train.cpp:12'; '' if the line is not known."""
    if int(site["file"]) == 0:
        return ""
    return "%s:%d" % (site["file"].string(errors="replace"), int(site["line"]))


# ---- tensors


def print_limit():
    return gdb.parameter("print elements") or 1 << 20


def cut(dims):
    """The extents of the first elements, somewhat more than gdb prints: it loads an array as a whole."""
    dims = list(dims)
    for d in range(len(dims)):
        inner = count_of(dims[d + 1:])
        dims[d] = min(dims[d], print_limit() // max(inner, 1) + 1)
        if dims[d] > 1:
            break
    return dims


def array_at(pointer, dims):
    """The first elements at a pointer as an array of arrays."""
    type_ = pointer.type.target().unqualified()
    for n in reversed(cut(dims)):
        type_ = type_.array(n - 1)
    return pointer.cast(type_.pointer()).dereference()


def rows_at(pointer, shape):
    """The children of a tensor: its elements, or its rows."""
    if count_of(shape) == 0:
        return
    if not shape:
        yield "[0]", pointer.dereference()
        return
    for i in range(shape[0]):
        row = pointer + i * count_of(shape[1:])
        yield "[%d]" % i, row.dereference() if len(shape) == 1 else array_at(row, shape[1:])


class Tensor:
    """A tensor as gdb sees it, inline or a handle."""

    def __init__(self, value):
        self.element = value.type.strip_typedefs().template_argument(0)
        arguments = split_name(type_name(value.type))[1]
        self.is_inline = has_array(value)
        if self.is_inline:
            self.shape = numbers_in(split_name(arguments[1])[1])
            self.buffer = None
            self.data = value["elements_"][0].address
            self.where, self.requested = "/CPU:0", ""
            return
        self.shape = shape_of(value["shape_"])
        if min(self.shape, default=0) < 0:
            raise ValueError("extents " + list_text(self.shape))
        self.buffer = value["elements_"]["b_"]
        self.requested = spec_text(value["requested_"])
        self.data, self.where = None, ""
        if int(self.buffer) != 0:
            buffer = self.buffer.dereference()
            self.where = device_text(buffer["where_"])
            self.data = buffer["data_"].cast(self.element.pointer())

    def text(self):
        text = "tensor<%s> %s" % (short_type(type_name(self.element)), list_text(self.shape))
        if self.data is None and self.is_inline:
            return text + " on /CPU:0, not in memory"  # but in registers
        if self.data is None:
            return text + (", moved from" if count_of(self.shape) else "")
        text += " on " + self.where
        if self.requested and self.requested != self.where and not self.requested.endswith("device:" + self.where[1:]):
            text += ", requested " + self.requested
        row = self.shape[1:]
        if self.is_readable():
            text += ", rows cut to %d elements" % count_of(cut(row)) if cut(row) != row else ""
        else:
            text += ", %d bytes at 0x%x" % (count_of(self.shape) * self.element.sizeof, int(self.data))
        return text

    def is_readable(self):
        """Elements of a GPU may still be in the making, also of a simulated one."""
        return self.data is not None and self.where.startswith("/CPU")

    def children(self):
        return rows_at(self.data, self.shape) if self.is_readable() else iter(())


def has_array(tensor):
    """Whether a tensor holds its elements itself."""
    return tensor["elements_"].type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY


class TensorPrinter:
    def __init__(self, value):
        self.tensor = Tensor(value)

    def to_string(self):
        return self.tensor.text()

    def children(self):
        return self.tensor.children()

    def display_hint(self):
        return "array"


class ReferencePrinter:
    """The result of view()."""

    def __init__(self, value):
        self.value = value
        self.tensor = Tensor(value["target_"].dereference())

    def to_string(self):
        now, then = self.tensor.shape, shape_of(self.value["shape_"])
        made = site_text(self.value["made_"])
        text = "view of " + self.tensor.text() + (", made at " + made if made else "")
        return text + (", stale: made for %s" % list_text(then) if now != then else "")

    def children(self):
        return self.tensor.children()

    def display_hint(self):
        return "array"


class InlineRefPrinter(ReferencePrinter):
    """An operand that is a tensor with its elements inline."""

    def __init__(self, value):
        self.tensor = Tensor(value["target"].dereference())

    def to_string(self):
        return "view of " + self.tensor.text()


class HostViewPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        element = self.value.type.strip_typedefs().template_argument(0)
        return "host view<%s> %s" % (short_type(type_name(element)), list_text(shape_of(self.value["shape_"])))

    def children(self):
        return rows_at(self.value["data_"], shape_of(self.value["shape_"]))

    def display_hint(self):
        return "array"


class BufferPrinter:
    def __init__(self, value):
        self.value = value["b_"] if value.type.fields()[0].name == "b_" else value.address

    def to_string(self):
        if int(self.value) == 0:
            return "no buffer"
        b = self.value.dereference()
        owners = int(word_of(b["owners_"]))
        return "%d bytes on %s at 0x%x, %d owner%s" % (
            int(b["size_"]), device_text(b["where_"]), int(b["data_"]), owners, "" if owners == 1 else "s")


# ---- expressions

# Ops that are written as operators, with the precedence of C++: a higher number binds stronger.
BINARY = {"multiply_op": ("*", 11), "divide_op": ("/", 11), "modulo_op": ("%", 11), "add_op": ("+", 10),
          "subtract_op": ("-", 10), "left_shift_op": ("<<", 9), "right_shift_op": (">>", 9), "less_op": ("<", 8),
          "less_equal_op": ("<=", 8), "greater_op": (">", 8), "greater_equal_op": (">=", 8), "equal_op": ("==", 7),
          "not_equal_op": ("!=", 7), "bitwise_and_op": ("&", 6), "bitwise_xor_op": ("^", 5), "bitwise_or_op": ("|", 4),
          "logical_and_op": ("&&", 3), "logical_or_op": ("||", 2)}
UNARY = {"negative_op": "-", "logical_not_op": "!", "bitwise_not_op": "~"}
UNARY_PRECEDENCE, CALL_PRECEDENCE = 12, 13
# Functions whose op has another name.
FUNCTIONS = {"constant_op": "full", "const_op": "constant", "iota_op": "iota", "part_op": "split",
             "add_n_list_op": "add_n", "near_cos_op": "cos", "near_sin_op": "sin"}
SLICE_KINDS = ["range", "everything", "index", "newaxis", "ellipsis"]  # detail::slice_kind
MOST_OPS = 200  # of one text


class ExpressionText:
    """An expression as C++ writes it."""

    def __init__(self, names):
        self.names = names  # of tensors of this frame, by the address of their buffer or of themselves
        self.ops = 0

    def of(self, value):
        """The text, and its precedence."""
        head, _ = split_name(type_name(value.type))
        if head == "scalar":
            text = number_text(value["v"])
            return text, UNARY_PRECEDENCE if text.startswith("-") else CALL_PRECEDENCE
        if head in ("tensor", "reference", "inline_ref"):
            return self.operand(head, value), CALL_PRECEDENCE
        if head == "placed":
            return self.placed(value), CALL_PRECEDENCE
        if head == "list":
            return "list of tensors", CALL_PRECEDENCE
        if head == "expr":
            return self.node(value)
        return short_type(head), CALL_PRECEDENCE

    def operand(self, head, value):
        if head == "reference":
            return "view(%s)" % self.named(int(value["target_"]), value["target_"].dereference())
        if head == "inline_ref":
            return self.named(int(value["target"]), value["target"].dereference())
        key = int(value.address or 0) if has_array(value) else int(value["elements_"]["b_"])
        return self.named(key, value)

    def named(self, key, tensor):
        exact = (key, type_name(tensor.type))
        if exact in self.names or key in self.names:
            return self.names.get(exact) or self.names[key]
        t = Tensor(tensor)
        return "%s%s" % (short_type(type_name(t.element)), list_text(t.shape))

    def placed(self, value):
        tag = numbers_in(split_name(split_name(type_name(value.type))[1][1])[1])
        device = spec_text(value["requested"]) or (tag[0] and "/%s:%d" % ("?CG"[tag[0]] + "PU", tag[1])) or "/"
        return 'on("%s", %s)' % (device, self.of(value["inner"])[0])

    def node(self, value):
        self.ops += 1
        if self.ops > MOST_OPS:
            return "...", CALL_PRECEDENCE
        op, arguments = split_name(type_name(value["op"].type))
        operands = operands_of(value["args"])
        if op in BINARY and len(operands) == 2:
            return self.binary(*BINARY[op], *operands)
        if op in UNARY and len(operands) == 1:
            text, precedence = self.of(operands[0])
            return UNARY[op] + (text if precedence > UNARY_PRECEDENCE else "(%s)" % text), UNARY_PRECEDENCE
        texts = [self.of(x)[0] for x in operands]
        if op == "slice_op":
            return self.slice(value["op"], arguments, operands[0], texts[0]), CALL_PRECEDENCE
        if op == "const_op":
            return "constant%s" % list_text(shape_of(value["shape_"])), CALL_PRECEDENCE
        if op in ("constant_op", "iota_op"):
            texts.append("shape(%s)" % list_text(shape_of(value["shape_"]))[1:-1])
        texts += parameters_of(value["op"], arguments)
        return function_of(op, arguments) + "(" + ", ".join(texts) + ")", CALL_PRECEDENCE

    def binary(self, sign, precedence, a, b):
        (left, p), (right, q) = self.of(a), self.of(b)
        left = left if p >= precedence else "(%s)" % left
        right = right if q > precedence else "(%s)" % right
        return "%s %s %s" % (left, sign, right), precedence

    def slice(self, op, kinds, operand, text):
        kinds = [SLICE_KINDS[k] for k in numbers_in(kinds)]
        if split_name(type_name(operand.type))[0] == "expr" and self.of(operand)[1] < CALL_PRECEDENCE:
            text = "(%s)" % text
        items = []
        for i, kind in enumerate(kinds):
            item = op["items"][i]
            items.append(str(int(item["first"])) if kind == "index" else range_text(item, "range") if kind == "range" else kind)
        if kinds == ["index"]:
            return "%s[%s]" % (text, items[0])
        return "slice(%s)" % ", ".join([text] + items)


def number_text(value):
    """A number, also of the library's own types, as this file prints it."""
    head = split_name(type_name(value.type))[0]
    return float16_text(value) if head in ("float16", "bfloat16") else str(value)


def range_text(value, name):
    first, last, step = fields_of(value, ("first", "last", "step"))
    parts = ["" if first == INT_MIN64 else str(first), "" if last == INT_MIN64 else str(last)]
    if step == 1 and "" not in parts:
        return "%s{%s}" % (name, ", ".join(parts))
    named = [".%s = %s" % (n, p) for n, p in zip(("first", "last"), parts) if p]
    return "%s{%s}" % (name, ", ".join(named + ([".step = %d" % step] if step != 1 else [])))


def operands_of(args):
    """The operands of a node: members of `args` if it is small, otherwise of its base classes."""
    found = []
    for field in args.type.strip_typedefs().fields():
        if field.is_base_class or field.name == "others":
            found += operands_of(args[field])
        elif field.name in ("first", "second", "value"):
            found.append(operand_in(args[field]))
    return found


def operand_in(stored):
    """An operand, which may be in a block of the heap."""
    type_ = stored.type.strip_typedefs()
    if not re.match(r"placement::(v\d+_\d+::)?detail::heap_operand<", type_name(type_)):
        return stored
    return stored["block_"]["data_"].cast(type_.template_argument(0).pointer()).dereference()


def function_of(op, arguments):
    """The function that makes a node of this op."""
    if op == "cast_op" and arguments:
        return "cast<%s>" % short_type(arguments[0])
    return FUNCTIONS.get(op, op[:-3] if op.endswith("_op") else op)


def parameters_of(op, arguments):
    """The arguments of an op that are not operands: axes in its type, numbers in its members."""
    axes = re.findall(r"\bax[ie]s_t<([-\d, ]+)>", " ".join(arguments))
    texts = ["axis<%s>" % a for a in axes[:1]]
    for field in op.type.strip_typedefs().fields():
        if field.is_base_class or not is_stored(field):
            continue
        type_ = field.type.strip_typedefs()
        if type_.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM):
            texts.append("%s = %s" % (field.name, number_text(op[field])))
    return texts


TENSOR = re.compile(r"placement::(v\d+_\d+::)?tensor<")


def tensors_of_frame():
    """The names of the tensors that the selected frame sees, by the addresses that nodes refer to them by."""
    names = {}
    try:
        block = gdb.selected_frame().block()
    except (gdb.error, RuntimeError):
        return names
    frame = gdb.selected_frame()
    while block is not None and not block.is_global:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                add_tensor(names, symbol, frame)
        block = block.superblock
    return names


def add_tensor(names, symbol, frame):
    try:
        if not TENSOR.match(type_name(symbol.type)):
            return
        value = symbol.value(frame) if symbol.needs_frame else symbol.value()
        if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        keys = [int(value.address)] if value.address is not None else []
        if not has_array(value) and int(value["elements_"]["b_"]) != 0:
            keys.append(int(value["elements_"]["b_"]))
        for key in keys:  # tensors that share elements may have different types
            names.setdefault(key, symbol.name)
            names.setdefault((key, type_name(value.type)), symbol.name)
    except (gdb.error, RuntimeError):
        pass  # optimized away, or not yet constructed


class ExpressionPrinter:
    """A node: what it computes, the type and shape of the result, and where it was written."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        names = tensors_of_frame()
        text = ExpressionText(names).of(self.value)[0]
        if split_name(type_name(self.value.type))[0] == "placed":
            return text
        origin = self.value["from"]
        name, site, spec = label_text(origin["name"]), site_text(origin["where"]), spec_text(origin["requested"])
        text += " -> " + list_text(shape_of(self.value["shape_"]))
        text += ", named '%s'" % name if name else ""
        text += ", requested " + spec if spec else ""
        return text + (", at " + site if site else "")


# ---- small classes


class TextPrinter:
    """A printer of one text."""

    def __init__(self, text):
        self.text = text

    def to_string(self):
        return self.text


def text_printer(text_of):
    return lambda value: TextPrinter(text_of(value))


def layout_text(value):
    rank = numbers_in(split_name(type_name(value.type))[1])[0]
    base = int(value["base"])
    strides = [int(value["stride"][d]) for d in range(rank)]
    return "strides %s%s" % (list_text(strides), " from %d" % base if base else "")


def float16_text(value):
    """IEEE's binary16, or the upper half of a float."""
    is_brain = split_name(type_name(value.type))[0] == "bfloat16"
    bits = bits_of(value)
    number = struct.unpack("<f", struct.pack("<I", bits << 16))[0] if is_brain \
        else struct.unpack("<e", struct.pack("<H", bits))[0]
    return "%.9g" % number


def bits_of(value):
    """The first integer member, in a base class perhaps."""
    for field in value.type.strip_typedefs().fields():
        if field.is_base_class:
            return bits_of(value[field])
        if is_stored(field):
            return int(value[field]) & 0xFFFF
    return 0


def dev_text(value):
    """A device as a type: dev<kind::gpu, 1>."""
    kind, index = numbers_in(split_name(type_name(value.type))[1])
    return "any device" if kind == 0 else "/%s:%d" % ("CPU" if kind == 1 else "GPU", index)


def axis_text(value):
    head, arguments = split_name(type_name(value.type))
    if head == "run_time_axis":
        return "axis %d" % int(value["value"])
    return "axis<%s>" % ", ".join(str(n) for n in numbers_in(arguments))


def dense_view_text(value):
    element = short_type(type_name(value.type.strip_typedefs().template_argument(0)))
    return "dense view<%s> %s at 0x%x" % (element, list_text(shape_of(value["shape"])), int(value["data"]))


PRINTERS = {
    "tensor": TensorPrinter,
    "reference": ReferencePrinter,
    "inline_ref": InlineRefPrinter,
    "host_view": HostViewPrinter,
    "buffer_ref": BufferPrinter,
    "buffer": BufferPrinter,
    "expr": ExpressionPrinter,
    "placed": ExpressionPrinter,
    "dense_view": text_printer(dense_view_text),
    "scalar": text_printer(lambda v: number_text(v["v"])),
    "extents": text_printer(lambda v: list_text(shape_of(v))),
    "layout": text_printer(layout_text),
    "device": text_printer(lambda v: device_text(v) or "no device"),
    "device_spec": text_printer(lambda v: spec_text(v) or "no request"),
    "device_name": text_printer(lambda v: name_text(v) or "no part"),
    "dev": text_printer(dev_text),
    "physical_device": text_printer(lambda v: "/physical_device:" + device_text(v["id"])[1:]),
    "site": text_printer(lambda v: site_text(v) or "line not known"),
    "located_index": text_printer(lambda v: str(int(v["value"]))),
    "range": text_printer(lambda v: range_text(v, "range")),
    "run_time_axis": text_printer(axis_text),
    "axis_t": text_printer(axis_text),
    "axes_t": text_printer(axis_text),
    "float16": text_printer(float16_text),
    "bfloat16": text_printer(float16_text),
}


# What reading the memory of an object raises that is not constructed yet, or optimized away.
UNREADABLE = (gdb.error, RuntimeError, IndexError, KeyError, ValueError)


def guarded(printer, name):
    """The printer, whose text says if the object cannot be read: also objects that it names are read late."""
    text, children = printer.to_string, getattr(printer, "children", None)

    def to_string():
        try:
            return text()
        except UNREADABLE as e:
            return "<%s: cannot be read: %s>" % (name, e)

    def readable_children():
        try:
            yield from children()
        except UNREADABLE:
            return

    printer.to_string = to_string
    if children is not None:
        printer.children = readable_children
    return printer


class Printers(gdb.printing.PrettyPrinter):
    """Finds the printer of a type by its name."""

    def __init__(self):
        super().__init__("placement", [gdb.printing.SubPrettyPrinter(name) for name in sorted(PRINTERS)])

    def __call__(self, value):
        name = type_name(value.type)
        match = re.match(r"placement::(v\d+_\d+::)?(?:detail::)?(\w+)(<.*>)?$", name)
        if match is None or match.group(2) not in PRINTERS:
            return None
        if not all(p.enabled for p in self.subprinters if p.name == match.group(2)):
            return None
        seen_namespaces.add(match.group(1) or "")
        try:
            if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                value = value.referenced_value()
            return guarded(PRINTERS[match.group(2)](value), match.group(2))
        except UNREADABLE as e:
            return TextPrinter("<%s: cannot be read: %s>" % (match.group(2), e))


gdb.printing.register_pretty_printer(None, Printers(), replace=True)
