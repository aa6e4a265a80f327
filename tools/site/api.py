"""Pages of the API from Doxygen's XML: one page for each folder of headers, one section for each header."""
import collections
import re
import xml.etree.ElementTree as ElementTree

# The folders whose headers users include, and their titles.
FOLDERS = {
    "": "Umbrella headers and errors", "device": "Devices", "place": "Scopes, settings and the log", "memory": "Memory",
    "shape": "Shapes", "expr": "Tensors and expressions", "ops": "Ops", "plan": "Plans", "gradient": "Gradients",
    "nn": "Layers and optimizers", "parallel": "Several devices", "tasks": "Several processes", "interop": "Other libraries and files", "cuda": "CUDA",
}
FIELD = re.compile(r"(?<=\s)((?:Shape|Type|Kernels|Throws|Cost|Thread|Units|Source)(?:, (?:Shape|Type|Kernels))?:) ")


def one_line(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def escape(text):
    return re.sub(r"([\\`*_<>\[\]|{}$~#])", r"\\\1", text)


def markdown(element):
    """The Markdown of a paragraph, list, or piece of code in a description."""
    text = escape(element.text or "")
    for child in element:
        if child.tag == "computeroutput":
            text += "`" + "".join(child.itertext()).replace("`", "'") + "`"
        elif child.tag in ("verbatim", "programlisting", "preformatted"):
            code = "".join(child.itertext()) if child.tag != "programlisting" else "\n".join(
                "".join(" " if e.tag == "sp" else (e.text or "") for e in line.iter()) for line in child.iter("codeline"))
            text += f"\n\n```text\n{code.strip(chr(10))}\n```\n\n"
        elif child.tag in ("itemizedlist", "orderedlist"):
            text += "\n\n" + "".join("- " + " ".join(markdown(item).split()) + "\n" for item in child) + "\n"
        elif child.tag == "para":
            text += "\n\n" + markdown(child)
        else:
            text += markdown(child)
        text += escape(child.tail or "")
    return text


def description(member):
    parts = [markdown(member.find(tag)) for tag in ("briefdescription", "detaileddescription") if member.find(tag) is not None]
    text = "\n\n".join(part.strip() for part in parts if part.strip())
    blocks = re.split(r"(```text\n.*?\n```)", text, flags=re.S)
    blocks[::2] = [re.sub(r"[ \t]+", " ", FIELD.sub(r"\n\n**\1** ", " " + b)).strip() for b in blocks[::2]]
    return "\n\n".join(block for block in blocks if block)


def short(text):
    """Code without the spaces and names that Doxygen adds."""
    text = re.sub(r"\bplacement::(v0_1::)?", "", text).replace("v0_1::", "")
    text = re.sub(r" -> [^;]*\bdetail::[^;]*", "", text)  # the type of an expression, which programs write as auto
    return re.sub(r"\s+>", ">", re.sub(r"<\s+", "<", text))


def template_of(element):
    params = element.find("templateparamlist")
    if params is None:
        return ""
    texts = []
    for param in params:
        kind, name, default = (one_line(param.find(tag)) for tag in ("type", "declname", "defval"))
        texts.append(kind + (" " + name if name else "") + (" = " + default if default else ""))
    return f"template <{', '.join(texts)}>\n"


def declaration_of(member):
    kind, name = member.get("kind"), member.findtext("name")
    if kind == "function":
        return template_of(member) + f"{one_line(member.find('type'))} {name}{one_line(member.find('argsstring'))};".strip()
    if kind == "variable":
        return template_of(member) + f"{one_line(member.find('type'))} {name} {one_line(member.find('initializer'))}".strip() + ";"
    if kind == "typedef":
        return template_of(member) + (f"using {name} = {one_line(member.find('type'))};")
    if kind == "enum":
        values = ", ".join(value.findtext("name") for value in member.findall("enumvalue"))
        return f"enum class {name} {{ {values} }};"
    if kind == "define":
        return f"#define {name}"
    return name


class Entry:
    """A name of a header: its declarations, its text, and the members of a class."""

    def __init__(self, name):
        self.name, self.line, self.declarations, self.texts, self.members = name, 10**9, [], [], []

    def add(self, line, declaration, text):
        self.line = min(self.line, line)
        self.declarations.append(short(declaration))
        if text:
            self.texts.append(text)


def members_of(compound):
    """Rows (declaration, text) of the documented public members of a class."""
    for member in compound.iter("memberdef"):
        text = description(member)
        if member.get("prot") == "public" and text:
            yield short(declaration_of(member)), text


def read(folder):
    """{header: {name: Entry}} of the documented public names."""
    headers = collections.defaultdict(dict)

    def entry(location, name):
        return headers[location.get("file")].setdefault(name, Entry(name))

    for path in sorted(folder.glob("*.xml")):
        if not path.name.startswith(("namespace", "class", "struct", "concept")):
            continue
        compound = ElementTree.parse(path).getroot()[0]
        full = compound.findtext("compoundname")
        if not full.startswith("placement") or "detail" in full.split("::"):
            continue
        if compound.get("kind") == "namespace":
            prefix = short(full + "::").removeprefix("placement::")
            for member in compound.iter("memberdef"):
                location = member.find("location")
                if location is not None and not location.get("file").endswith(".ipp"):
                    name = prefix + member.findtext("name")
                    entry(location, name).add(int(location.get("line")), declaration_of(member), description(member))
        elif compound.get("prot", "public") == "public" and (location := compound.find("location")) is not None:
            name = short(full)
            if compound.get("kind") == "concept":
                code = one_line(compound.find("initializer"))
            else:
                code = template_of(compound) + f"{compound.get('kind')} {name};"
            at = entry(location, name)
            at.add(int(location.get("line")), code, description(compound))
            at.members += members_of(compound)
    return {header: {name: e for name, e in entries.items() if e.texts} for header, entries in headers.items()}


def purpose_of(path):
    """The comment at the start of a header."""
    lines = path.read_text().split("\n")
    begin = next((i for i, line in enumerate(lines) if line.startswith("///")), len(lines))
    text, fenced = [], False
    for line in lines[begin:]:
        if not line.startswith("///"):
            break
        line = line[4:]
        code = line.startswith("    ")
        if code != fenced:
            text.append("```text" if code else "```")
            fenced = code
        text.append(line[4:] if code else re.sub(r"([<>*_\[\]|])", r"\\\1", line) if "`" not in line else line)
    return "\n".join(text + ["```"] * fenced)


def section_of(header, entries, include):
    text = [f"## {header}", purpose_of(include / header)]
    for e in sorted(entries.values(), key=lambda e: e.line):
        text.append(f"### {escape(e.name)}")
        text.append("```cpp\n" + "\n".join(dict.fromkeys(e.declarations)) + "\n```")
        text += dict.fromkeys(e.texts)
        for declaration, members in e.members:
            text.append("```cpp\n" + declaration + "\n```\n\n" + members)
    return "\n\n".join(text)


def pages(xml, include):
    """{page: text} of the folders that have documented names, and the page that lists them."""
    headers, result, rows = read(xml), {}, []
    for folder, title in FOLDERS.items():
        here = {h: e for h, e in headers.items() if e and h.count("/") == (2 if folder else 1) and
                h.startswith(f"placement/{folder}/" if folder else "placement/")}
        if not here:
            continue
        page = f"api/{folder or 'placement'}.md"
        result[page] = f"# {title}\n\n" + "\n\n".join(section_of(h, here[h], include) for h in sorted(here)) + "\n"
        rows.append((title, page, len(here), sum(len(e) for e in here.values())))
    table = "\n".join(f"| [{title}]({page.removeprefix('api/')}) | {headers_here} | {names} |" for title, page, headers_here, names in rows)
    result["api/index.md"] = (
        "# API\n\nThe documented names of the public headers, from their comments. Names in `detail` are left out, and so are\n"
        "headers that only the library itself includes. [Ops](../ops.md) has all ops in one table.\n\n"
        "| part | headers | names |\n|---|---|---|\n" + table + "\n\n```{toctree}\n:hidden:\n\n" +
        "\n".join(page.removeprefix("api/").removesuffix(".md") for _, page, _, _ in rows) + "\n```\n")
    return result
