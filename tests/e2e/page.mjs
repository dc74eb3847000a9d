// Runs the tests of the page in the folder that page.sh prepared (faq.film, faq.pool), or takes its pictures.
import { runAll, serve } from "./page_lib.mjs";
import { takeShots } from "./page_shots.mjs";
import "./page_compare.mjs";
import "./page_lists.mjs";
import "./page_review.mjs";
import "./page_pool.mjs";
import "./page_records.mjs";
import "./page_learn.mjs";
import "./page_server.mjs";
import "./page_access.mjs";
import "./page_report.mjs";

const server = await serve("faq.pool");
if (process.env.SHOTS) {
    await takeShots(server.base, process.env.SHOTS);
    await server.stop();
    process.exit(0);
}
const failures = await runAll({ base: server.base });
process.exit(failures ? 1 : 0);
