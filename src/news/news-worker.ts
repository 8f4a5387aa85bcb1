import { serveJobs } from "../compute/serve-jobs.ts";
import { createNewsJobs } from "./jobs/news-jobs.ts";

void serveJobs(createNewsJobs);
