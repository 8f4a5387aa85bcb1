import { expect, it } from "vitest";
import { isReplica, classifyFailure } from "../../src/storage/redis/redis-errors.ts";

const READONLY = "READONLY You can't write against a read only replica.";

it.each([
  ["a command", READONLY],
  ["a script on version 7", `${READONLY} script: 0f4c, on @user_script:9.`],
  [
    "a script on version 6",
    `ERR Error running script (call to f_0f4c): @user_script:9: @user_script: 9: -${READONLY} `,
  ],
])("knows a replica by what it says to %s", (_, message) => {
  const error = new Error(message);
  expect(isReplica(error)).toBe(true);
  expect(classifyFailure(error)).toBe("later");
});

it("takes no other error of a script for one that may be over soon", () => {
  const error = new Error("ERR Error running script (call to f_0f4c): @user_script:9: BUSY words of its own");
  expect(isReplica(error)).toBe(false);
  expect(classifyFailure(new Error("ERR Error compiling script (new function): READONLY"))).toBe("failed");
});
