import { serveJobs } from "../compute/serve-jobs.ts";
import { createAssistantJobs } from "./jobs/assistant-jobs.ts";

void serveJobs(createAssistantJobs);
