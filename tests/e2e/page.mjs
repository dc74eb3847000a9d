// Runs the tests of the page in the folder that page.sh prepared: faq.film, faq.pool.
import { runAll, serve } from "./page_lib.mjs";
import "./page_compare.mjs";
import "./page_lists.mjs";
import "./page_server.mjs";
import "./page_access.mjs";

const server = await serve("faq.pool");
const failures = await runAll({ base: server.base });
process.exit(failures ? 1 : 0);
