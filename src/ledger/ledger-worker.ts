import { serveJobs } from "../compute/serve-jobs.ts";
import { pageJobs } from "./chain.ts";

void serveJobs(() => pageJobs);
