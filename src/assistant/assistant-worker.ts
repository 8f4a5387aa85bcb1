import { serveJobs } from "../compute/serve-jobs.ts";
import { createAssistantJobs } from "./jobs/assistant-jobs.ts";

const jobs = createAssistantJobs();
jobs.warm(); // While it starts, for which there is more time than for a job.
void serveJobs(() => ({ ...jobs, warm: () => undefined })); // It is warm.
