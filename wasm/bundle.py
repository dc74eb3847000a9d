"""Writes the template of film page, one HTML file: the page of web/, wasm/offline.js in place of the server, and the
WebAssembly module. film page puts a model in place of @MODEL@.

    python3 wasm/bundle.py build/wasm/package > offline.html
"""
import base64
import gzip
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
policy = ("default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
          "img-src data:; base-uri 'none'; form-action 'none'")


def read(name):
    return (root / name).read_text(encoding="utf-8")


def folder_of(name):
    return "wasm" if name in ("film", "offline") else "web"


def order(name, before=()):
    """The modules that a module needs, each after those that it needs itself, and the module. api sends its requests to offline."""
    if name in before:
        sys.exit(f"bundle: {folder_of(name)}/{name}.js imports itself, through {', '.join(before)}")
    used = re.findall(r'^import .* from "\./(\w+)\.js";$', read(f"{folder_of(name)}/{name}.js"), flags=re.M)
    found = []
    for one in [*used, *(["offline"] if name == "api" else [])]:
        found += [other for other in order(one, (*before, name)) if other not in found]
    return [*found, name]


def as_function(name):
    """A module as a function that returns what it exports. The names of one do not meet those of another."""
    folder = folder_of(name)
    text = read(f"{folder}/{name}.js")
    text = re.sub(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', r"const \1 = module_\2;", text, flags=re.M)
    exported = re.findall(r"^export (?:async )?(?:function|class|const|let) ([\w$]+)", text, flags=re.M)
    text = re.sub(r"^export ", "", text, flags=re.M)
    if re.search(r"^\s*(import|export) ", text, flags=re.M):
        sys.exit(f"bundle: {folder}/{name}.js has an import or export that bundle.py does not know")
    fetch = "const { fetch } = module_offline;\n" if name == "api" else ""
    return f"const module_{name} = (() => {{\n{fetch}{text}\nreturn {{ {', '.join(exported)} }};\n}})();\n"


def packed(data):
    """gzip and base64. A browser that can unpack it (DecompressionStream) also has SIMD instructions."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def replace(page, old, new):
    if page.count(old) != 1:
        sys.exit(f"bundle: web/page.html does not contain exactly once: {old}")
    return page.replace(old, new)


def main():
    package = pathlib.Path(sys.argv[1])
    module = packed((package / "film-simd.wasm").read_bytes())
    notices = (read("LICENSE") + "\n" + (package / "NOTICE").read_text(encoding="utf-8")).replace("</", "<\\/")
    script = "".join(as_function(name) for name in order("page"))
    icon = base64.b64encode(read("web/mark.svg").encode()).decode()
    page = read("web/page.html")
    page = replace(page, '<link rel="stylesheet" href="page.css">', f"<style>\n{read('web/page.css')}</style>")
    page = replace(page, '<link rel="icon" href="mark.svg" type="image/svg+xml">',
                   f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
                   f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">')
    page = replace(page, '<script type="module" src="page.js"></script>\n', "")
    page = re.sub(r"\s*<noscript>.*?</noscript>", "\n  <noscript><p>This page needs JavaScript.</p></noscript>", page)
    for view, name in (("search", "Search"), ("review", "Review"), ("clusters", "Clusters"), ("thresholds", "Threshold")):
        page = replace(page, f'    <a href="#{view}" data-view="{view}">{name}</a>\n', "")  # they need a pool
    page = replace(page, "The file is sent to this server only.", "The file stays on this computer.")
    page = replace(page, "Model, pool and server", "Model")
    page = replace(page, "</body>", f'<script type="text/plain" id="notices">\n{notices}</script>\n'
                   f'<script type="text/plain" id="film-wasm">{module}</script>\n'
                   f'<script type="text/plain" id="film-model">@MODEL@</script>\n'
                   f'<script type="module">\n{script}</script>\n</body>')
    sys.stdout.write(page)


main()
