import { defineGroup } from "../../framework/define-command.ts";
import { hot } from "./hot.ts";
import { refresh } from "./refresh.ts";
import { status } from "./status.ts";
import { topics } from "./topics.ts";

export const news = defineGroup({
  name: "news",
  summary: "Latest news, topics, refresh and state of the sources",
  commands: [hot, topics, refresh, status],
  examples: ["news hot --limit 20", "news topics --lang en", "news refresh --mode full"],
});
