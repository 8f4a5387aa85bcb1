import { serveJobs } from "../compute/serve-jobs.ts";
import { pageJobs } from "./check-page.ts";

void serveJobs(() => pageJobs);
