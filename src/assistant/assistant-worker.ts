import { serveJobs } from "../compute/serve-jobs.ts";
import { openEncoder } from "./encoder/encoder.ts";
import { createAssistantJobs } from "./jobs/assistant-jobs.ts";
import { openAnswerNetwork } from "./retrieval/rate-units.ts";

openEncoder(); // While it starts, for which there is more time than for a job.
openAnswerNetwork();
const jobs = createAssistantJobs();
jobs.warm();
void serveJobs(() => jobs);
