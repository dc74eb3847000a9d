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


def text_of(name):
    return read(f"{'wasm' if name in ('film', 'offline') else 'web'}/{name}.js")


def in_order(name, seen):
    """The modules that NAME imports, each after those that it imports itself, and NAME. api.js uses offline.js."""
    if name in seen:
        return []
    seen.add(name)
    needed = re.findall(r'^import .* from "\./(\w+)\.js";$', text_of(name), flags=re.M) + ["offline"] * (name == "api")
    return [one for other in needed for one in in_order(other, seen)] + [name]


def as_function(name):
    """A module as a function that returns what it exports. The names of one do not meet those of another."""
    text = re.sub(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', r"const \1 = module_\2;", text_of(name), flags=re.M)
    exported = re.findall(r"^export (?:async )?(?:function|class|const|let) ([\w$]+)", text, flags=re.M)
    text = re.sub(r"^export ", "", text, flags=re.M)
    if re.search(r"^\s*(import|export) ", text, flags=re.M):
        sys.exit(f"bundle: {name}.js has an import or export that bundle.py does not know")
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
    script = "".join(as_function(name) for name in in_order("page", set()))
    icon = base64.b64encode(read("web/mark.svg").encode()).decode()
    page = read("web/page.html")
    page = replace(page, '<link rel="stylesheet" href="page.css">', f"<style>\n{read('web/page.css')}</style>")
    page = replace(page, '<link rel="icon" href="mark.svg" type="image/svg+xml">',
                   f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
                   f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">')
    page = replace(page, '<script type="module" src="page.js"></script>\n', "")
    page = re.sub(r"\s*<noscript>.*?</noscript>", "\n  <noscript><p>This page needs JavaScript.</p></noscript>", page)
    page = replace(page, '    <a href="#search" data-view="search">Search</a>\n', "")
    page = re.sub(r' *<a href="#review" data-view="review">Review</a>\n', "", page)
    page = replace(page, "The file is sent to this server only.", "The file stays on this computer.")
    page = replace(page, "Model, pool and server", "Model")
    page = replace(page, "</body>", f'<script type="text/plain" id="notices">\n{notices}</script>\n'
                   f'<script type="text/plain" id="film-wasm">{module}</script>\n'
                   f'<script type="text/plain" id="film-model">@MODEL@</script>\n'
                   f'<script type="module">\n{script}</script>\n</body>')
    sys.stdout.write(page)


main()
