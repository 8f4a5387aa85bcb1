import type { AssistantJobs } from "../assistant/jobs/assistant-jobs.ts";
import { sharedAssistants } from "../assistant/jobs/assistant-runner.ts";
import type { JobRunner } from "../compute/job-runner.ts";
import type { NewsJobs } from "../news/jobs/news-jobs.ts";
import { newsInProcess } from "../news/jobs/news-runner.ts";

/** What runs the jobs of the rooms that compute on foreign text. */
export interface JobRunners {
  readonly assistant: JobRunner<AssistantJobs>;
  readonly news: JobRunner<NewsJobs>;
}

/** Makes runners of the jobs in this process that share what they compute of equal content, for many services at once. */
export function sharedRunners(): () => JobRunners {
  const openAssistant = sharedAssistants();
  const news = { ...newsInProcess(), close: () => Promise.resolve() }; // Other services go on with it.
  return () => ({ assistant: openAssistant(), news });
}
