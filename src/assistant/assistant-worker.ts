import { serveJobs } from "../compute/serve-jobs.ts";
import { createAssistantJobs } from "./jobs/assistant-jobs.ts";

const jobs = createAssistantJobs();
jobs.warm(); // During the start, which has a longer deadline than a job.
void serveJobs(() => ({ ...jobs, warm: () => undefined })); // Already warm.
