import { serveJobs } from "../compute/serve-jobs.ts";
import { createAssistantJobs } from "./jobs/assistant-jobs.ts";
import { openEncoder } from "./encoder/encoder.ts";

openEncoder(); // While it starts, for which there is more time than for a job.
void serveJobs(createAssistantJobs);
