"""Writes labelled pairs of made-up products as tables of records, good and odd ones, to the working folder."""
import csv
import json
import random
import re

rng = random.Random(7)
BRANDS = ["Canon", "Sony", "Nikon", "Panasonic", "Olympus", "Leica"]
KINDS = ["camera", "lens", "flash", "tripod", "battery charger", "memory card"]


def product():
    brand, kind = rng.choice(BRANDS), rng.choice(KINDS)
    code = "%s-%d%s" % ("".join(rng.choices("ABCDEFGHJK", k=3)), rng.randrange(100, 1000), rng.choice("XLS"))
    return {"title": "%s %s %s" % (brand, kind, code), "brand": brand, "price": "$ %.2f" % rng.uniform(10, 900),
            "released": "%d-%02d-%02d" % (rng.randrange(2000, 2020), rng.randrange(1, 13), rng.randrange(1, 29))}


def other_shop(p):
    words = p["title"].replace("-", rng.choice(["", "-", " "])).lower().split()
    rng.shuffle(words)
    q = dict(p, title=" ".join(words + rng.choice([[], ["new"], ["black"]])),
             price="%.2f" % (float(p["price"][2:]) * rng.uniform(0.95, 1.05)))
    for name in ("brand", "price", "released"):
        if rng.random() < 0.2:
            q[name] = ""
    return q


def near(p):
    q = product()
    q["brand"] = p["brand"]
    q["title"] = " ".join(p["title"].split()[:-1] + [q["title"].split()[-1]])
    return q


def rows(count):
    for _ in range(count):
        p = product()
        same = rng.random() < 0.25
        q = other_shop(p) if same else other_shop(near(p) if rng.random() < 0.7 else product())
        row = {"id": "p%d" % rng.randrange(10**6), "label": "1" if same else "0"}
        row.update({"left_" + k: v for k, v in p.items()})
        row.update({"right_" + k: v for k, v in q.items()})
        yield row


train, held = list(rows(400)), list(rows(200))
for name, data in (("train", train), ("held", held)):
    with open(name + ".jsonl", "w") as out:
        out.writelines(json.dumps(r) + "\n" for r in data)
    with open(name + ".labels", "w") as out:
        out.writelines(r["label"] + "\n" for r in data)
few = train[:120]  # the same rows in every form
with open("few.jsonl", "w") as out:
    out.writelines(json.dumps(r) + "\n" for r in few)
for suffix, delimiter in ((".csv", ","), (".tsv", "\t")):
    with open("few" + suffix, "w", newline="") as out:
        names = [k.replace("left_", "ltable_").replace("right_", "rtable_") for k in train[0]]
        if suffix == ".tsv":
            names = [re.sub("^([lr])table_(.*)", r"\2_\1", k) for k in names]
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(r.values() for r in few)
with open("numbers.jsonl", "w") as out:  # labels as numbers, prices as numbers, nulls, keys missing
    for r in few:
        r = {k: v for k, v in r.items() if v != ""}
        out.write(json.dumps(dict(r, label=int(r["label"]), left_none=None)) + "\n")
with open("unlabelled.jsonl", "w") as out:
    suffixed = lambda row: {re.sub("^(left|right)_(.*)", r"\2_\1", k): v for k, v in row.items()}
    out.writelines(json.dumps(dict(suffixed(r), label="to be seen")) + "\n" for r in held)
with open("renamed.jsonl", "w") as out:
    out.writelines(json.dumps({k.replace("right_title", "right_name"): v for k, v in r.items()}) + "\n" for r in held)
with open("wide.jsonl", "w") as out:
    for r in held[:20]:
        more = {"%s_c%d" % (side, i): "v%d" % rng.randrange(3) for i in range(500) for side in ("left", "right")}
        out.write(json.dumps(dict(r, **more)) + "\n")
with open("wide_train.csv", "w", newline="") as out:
    more = ["%s_c%d" % (side, i) for i in range(499) for side in ("left", "right")]
    writer = csv.writer(out)
    writer.writerow(list(train[0]) + more)
    wide = [list(r.values()) + ["v%d" % rng.randrange(3) for _ in more] for r in train[:60]]
    writer.writerows(wide[:40])
with open("single.csv", "w", newline="") as out:  # 40 products in two shops; same: l1 and r1, ...
    writer = csv.writer(out)
    writer.writerow(["id", "title", "brand", "price", "released"])
    for number in range(40):
        p = product()
        writer.writerow(["l%d" % number] + list(p.values()))
        writer.writerow(["r%d" % number] + list(dict(other_shop(p), brand=p["brand"], released=p["released"]).values()))
with open("large.jsonl", "w") as out:
    out.write(json.dumps(dict(held[0], left_title="camera " * 150000)) + "\n")
    out.write(json.dumps(dict(held[1], left_price="about as much as a car", right_released="soon")) + "\n")
with open("one.jsonl", "w") as out, open("known.jsonl", "w") as known:  # offers of one table; each has one known match
    for _ in range(120):
        p = product()
        offers = [other_shop(p) for _ in range(3)]
        pairs = [(offers[0], offers[1], 1)] + [(rng.choice(offers[:2]), other_shop(near(p)), 0) for _ in range(3)]
        for a, b, same in pairs:
            a, b = rng.choice([(a, b), (b, a)])
            row = {"label": same, **{"left_" + k: v for k, v in a.items()}, **{"right_" + k: v for k, v in b.items()}}
            out.write(json.dumps(row) + "\n")
        known.write(json.dumps(offers) + "\n")
