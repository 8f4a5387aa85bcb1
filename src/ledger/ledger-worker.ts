import { serveJobs } from "../compute/serve-jobs.ts";
import { checkPage } from "./check-page.ts";

void serveJobs(() => ({ checkPage }));
