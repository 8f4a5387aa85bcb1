import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../../fixtures/demo");

/** The section `news` of a configuration that reads notices and help of the demo when it is asked to. */
export const DEMO_CONTENT = {
  refresh_interval_s: 0,
  notices: join(FOLDER, "notices.json"),
  help: { en: join(FOLDER, "help/en.json"), zh: join(FOLDER, "help/zh.json") },
};
