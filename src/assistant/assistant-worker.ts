import { serveJobs } from "../compute/serve-jobs.ts";
import { createAssistantJobs } from "./assistant-jobs.ts";

await serveJobs(createAssistantJobs);
