import { serveJobs } from "../compute/serve-jobs.ts";
import { checkEntries, checkPage } from "./check-page.ts";

void serveJobs(() => ({ checkPage, checkEntries }));
