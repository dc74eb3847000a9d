#!/usr/bin/env bash
# The page's CSV: cells that a spreadsheet would run as formulas are guarded, numbers and other texts are not changed.
source "$(dirname "$0")/tap.sh"
have "the page's CSV guards formulas" node || { finish; exit; }
cp "$ROOT/web/csv.js" csv.mjs
cat >try.mjs <<'JS'
import { csv, rows } from "./csv.mjs";
process.stdout.write(csv([["=1+1", "+A1", "-x", "@SUM(A1)", "\tx"], [-1.5, "-2", "+3", "a=b", 'say "=x", now']]));
const cells = rows(csv([["a", 'b "c", d'], ["x\ny", "z"]]).slice(1));
if (JSON.stringify(cells) !== '[["a","b \\"c\\", d"],["x\\ny","z"]]') process.exit(1);
JS
expect_output "the page's CSV guards formulas" 0 $'\ufeff'"'=1+1,'+A1,'-x,'@SUM(A1),'	x"$'\r\n'"-1.5,-2,+3,a=b,\"say \"\"=x\"\", now\""$'\r' node try.mjs
finish
