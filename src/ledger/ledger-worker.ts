import { serveJobs } from "../compute/serve-jobs.ts";
import { checkPage } from "./chain.ts";

void serveJobs(() => ({ checkPage }));
