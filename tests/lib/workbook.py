"""Writes small Excel workbooks with zipfile, as oracles of tests: workbook.py OUT.xlsx KIND."""
import sys
import zipfile
from xml.sax.saxutils import escape

ROWS = [["id", "text", "category", "paid"],
        ["a-1", "Wo ist meine Karte?\nBitte!", "Karte", True],
        None,  # a blank row
        [12345678901, "Grüße & <Fragen>", None, 0.1],
        ["a-3", "tab\there", "PIN", False]]


def cell(row, column, value, shared):
    name = f"{chr(65 + column)}{row}"
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)):
        return f'<c r="{name}"><v>{value!r}</v></c>' if value != 0.1 else f'<c r="{name}"><v>0.10000000000000001</v></c>'
    if row % 2:  # inline and shared strings in turn
        return f'<c r="{name}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    shared.append(value)
    return f'<c r="{name}" t="s"><v>{len(shared) - 1}</v></c>'


def parts(rows):
    shared = []
    lines = []
    for number, row in enumerate(rows, 1):
        if row is not None:
            cells = "".join(cell(number, i, value, shared) for i, value in enumerate(row))
            lines.append(f'<row r="{number}">{cells}</row>')
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    # Rich text, and a reading (rPh) that is not part of the text.
    strings = "".join(f"<si><r><t>{escape(s[:3])}</t></r><r><t xml:space='preserve'>{escape(s[3:])}</t></r>"
                      "<rPh sb='0' eb='1'><t>no</t></rPh></si>" for s in shared)
    return {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
                           '<sheet name="old" sheetId="1" state="hidden" r:id="rId1"/>'
                           '<sheet name="data" sheetId="2" r:id="rId7"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels":
            f'<Relationships xmlns="{package}"><Relationship Id="rId7" Type="{office}/worksheet"'
            f' Target="worksheets/second.xml"/><Relationship Id="rId8" Type="{office}/sharedStrings"'
            ' Target="/xl/strings.xml"/></Relationships>',
        "xl/strings.xml": f'<?xml version="1.0" encoding="UTF-8"?><sst xmlns="{main}">{strings}</sst>',
        "xl/worksheets/second.xml": f'<worksheet xmlns="{main}"><sheetData>{"".join(lines)}</sheetData></worksheet>',
    }


def write(path, files, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def laughs():
    files = parts(ROWS)
    lines = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "ha"}">' for i in range(12))
    files["xl/worksheets/second.xml"] = f"<!DOCTYPE x [{lines}]><worksheet><sheetData><row><c t='str'><v>&e11;</v></c></row></sheetData></worksheet>"
    return files


def main(path, kind):
    files = parts(ROWS)
    if kind == "stored":
        return write(path, files, zipfile.ZIP_STORED)
    if kind == "laughs":
        files = laughs()
    if kind == "deep":
        files["xl/worksheets/second.xml"] = "<a>" * 100000
    if kind == "broken":
        files["xl/worksheets/second.xml"] = "<worksheet><sheetData><row>"
    if kind == "string":
        files["xl/worksheets/second.xml"] = '<worksheet><row><c t="s"><v>18446744073709551615</v></c></row></worksheet>'
    if kind == "archive":
        files = {"readme.txt": "hello"}
    if kind == "bomb":  # 513 MiB of spaces in a sheet, 2 MB packed
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, text in files.items():
                if "second" not in name:
                    archive.writestr(name, text)
            with archive.open("xl/worksheets/second.xml", "w") as sheet:
                sheet.write(b"<worksheet>")
                for _ in range(513):
                    sheet.write(b" " * (1 << 20))
        return None
    return write(path, files)


main(*sys.argv[1:])
