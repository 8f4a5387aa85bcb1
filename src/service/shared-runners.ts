import type { AssistantJobs } from "../assistant/jobs/assistant-jobs.ts";
import { sharedAssistants } from "../assistant/jobs/assistant-runner.ts";
import type { JobRunner } from "../compute/job-runner.ts";
import type { NewsJobs } from "../news/jobs/news-jobs.ts";
import { newsInProcess } from "../news/jobs/news-runner.ts";

/** The runners of jobs on untrusted text, for the assistant and the news. */
export type JobRunners = { readonly assistant: JobRunner<AssistantJobs>; readonly news: JobRunner<NewsJobs> };

/** Runners in this process for several services at once, which share the results for equal content. */
export function sharedRunners(): () => JobRunners {
  const openAssistant = sharedAssistants();
  const news = { ...newsInProcess(), close: () => Promise.resolve() }; // Other services still use it.
  return () => ({ assistant: openAssistant(), news });
}
