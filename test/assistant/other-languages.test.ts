import { describe, expect, it } from "vitest";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const index = new AnswerIndex([
  passage({ id: "bluetooth", title: "Bluetooth", text: "The device has Bluetooth. Pair it with the app." }),
  passage({ id: "bluetooth", lang: "zh", title: "蓝牙", text: "设备带有蓝牙 Bluetooth。与应用配对即可连接。" }),
  passage({ id: "deposit", title: "Deposit", text: "Deposit money by transfer. The minimum deposit is 100 EUR." }),
  passage({ id: "deposit", lang: "zh", title: "入金", text: "通过转账入金。最低入金100欧元。" }),
]);

describe("a question in a language other than Chinese and English", () => {
  it.each([
    ["Bluetoothで接続する方法", "bluetooth"],
    ["口座開設に必要なものは何ですか", undefined],
    ["Bluetooth 연결 방법", "bluetooth"],
    ["送料はいくらですか", undefined],
  ])("is answered in English, by what is found: %s", (question, id) => {
    const given = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
    const { answer, routing } = prepareQuestion(given, index);
    expect(routing.lang).toBe("en");
    expect(answer?.text).not.toMatch(/\p{Script=Han}/u);
    expect(answer?.sources[0]?.id).toBe(id);
  });
});
