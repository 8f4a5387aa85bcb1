import { describe, expect, it } from "vitest";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { isKind } from "../../src/assistant/routing/router.ts";
import { DAY_MS } from "../../src/runtime/clock.ts";
import { EXCHANGE, NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const noticeOf = (id: string, title: string, symbols: string[], days: number) => {
  const published_at = new Date(NOW - days * DAY_MS).toISOString();
  return passage({ id, kind: "notice", title, text: `${title}. A further notice will follow.`, published_at, symbols });
};

const index = new AnswerIndex([
  ...EXCHANGE,
  noticeOf("tide", "Withdrawals of TIDE suspended", ["TIDE"], 13),
  noticeOf("old", "Withdrawals of MOSS suspended", ["MOSS"], 15),
  noticeOf("bridge", "Maintenance of the Heron bridge", [], 2),
  noticeOf("prize", "A prize draw for users of the Lagoon bridge", [], 1),
  passage({ id: "osprey", title: "Osprey bridge", text: "The Osprey bridge is down on Sundays from 2 to 4." }),
]);

function ask(question: string, hasModel = false) {
  const given = { question, history: [], research: false, refused: [], hasModel, now: NOW };
  const { answer, routing } = prepareQuestion(given, index);
  return { outcome: answer?.outcome ?? "", first: answer?.sources[0]?.id, route: routing.route };
}

describe("whether something works now", () => {
  it.each([
    ["Are TIDE withdrawals suspended right now?", "tide"],
    ["is TIDE down", "tide"],
    ["Is the Heron bridge down?", "bridge"],
    ["is the Heron bridge working again", "bridge"],
  ])("%s is answered by the notice that says so", (question, id) => {
    const { outcome, ...answer } = ask(question);
    expect(outcome).toMatch(/answered|unsure/);
    expect(answer).toEqual({ first: id, route: "notice" });
  });

  it.each([
    "Are MOSS withdrawals suspended right now?", // The notice is older than 14 days.
    "Are withdrawals suspended right now?", // It is of one coin.
    "Is the Lagoon bridge down?", // It does not say how it works.
    "Is the Osprey bridge down?", // An article does not know what is now.
    "is it down",
    "网站挂了吗",
  ])("%s is not charged, and no other notice shown first", (question) => {
    const { outcome, first } = ask(question);
    expect(outcome).toMatch(/unsure|offered|declined/);
    expect(["tide", "prize", "bridge"]).not.toContain(first);
  });
});

describe("whether something of any trade works now", () => {
  const said = (id: string, lang: string, title: string, days: number, text = `${title}.`) =>
    passage({ id, kind: "notice", lang, title, text, published_at: new Date(NOW - days * DAY_MS).toISOString() });
  const notices = new AnswerIndex([
    said("tracking", "en", "Tracking is down", 1),
    said("tracking", "zh", "查询系统暂停服务", 1),
    said("swaps", "en", "Swaps are unavailable", 2, "Swaps are unavailable. We will tell you when they work again."),
    said("graz", "en", "Lockers in Graz are out of order", 3),
    said("graz", "zh", "格拉茨快递柜暂停使用", 3),
    said("roaming", "en", "Roaming in Croatia does not work", 1),
    said("roaming", "zh", "克罗地亚漫游故障", 1),
    said("payment", "en", "Online payment is working again", 1),
    said("payment", "zh", "在线支付已恢复", 1),
    said("login", "en", "Login problems", 2, "Update: the problems with the login are solved."),
    said("lark", "en", "My Lark is down", 1),
    said("manager", "en", "Manager is down", 80),
    said("staking", "en", "Staking paused", 9),
    said("staked", "en", "Staking resumed", 4),
    passage({
      id: "bills",
      title: "My Lark: your bills online",
      text: "In My Lark you see your bills and what works.",
    }),
    passage({
      id: "help",
      title: "Track a parcel",
      text: "Enter the tracking number in the app. It works day and night.",
    }),
  ]);

  function ask(question: string) {
    const given = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
    const { outcome, sources } = prepareQuestion(given, notices).answer!;
    return { outcome, ids: sources.map(({ id }) => id) };
  }

  it.each([
    ["is tracking working?", "tracking"],
    ["is My Lark working", "lark"], // The name of a product, not the caller's own.
    ["is my lark down right now?", "lark"],
    ["is the tracking system down right now", "tracking"],
    ["tracking working now?", "tracking"],
    ["查询现在能用吗", "tracking"],
    ["查询系统恢复了吗", "tracking"],
    ["is swap working", "swaps"],
    ["are the lockers in Graz working", "graz"],
    ["格拉茨快递柜现在能用吗", "graz"],
    ["is roaming in Croatia working", "roaming"],
  ])("is surely answered by a recent notice about exactly this: %s", (question, id) => {
    expect(ask(question)).toEqual({ outcome: "answered", ids: [id] });
  });

  it.each([
    "is online payment working", // It is over.
    "在线支付现在能用吗",
    "is login working", // It is over, by the text.
    "is my tracking down", // The caller's own is in no notice.
    "is staking paused", // It is over, by a later notice.
    "is manager working?", // It is old.
    "are lockers working", // It is about those of one town.
    "快递柜现在能用吗",
    "漫游现在能用吗",
  ])("is not charged otherwise: %s", (question) => {
    expect(ask(question).outcome).toMatch(/unsure|offered|declined/);
  });
});

describe("a notice that is not published yet", () => {
  const planned = new AnswerIndex([...EXCHANGE, noticeOf("planned", "Withdrawals of BARK suspended", ["BARK"], -3)]);

  it.each(["Are BARK withdrawals suspended right now?", "Withdrawals of BARK suspended", "BARK withdrawals"])(
    "is not quoted: %s",
    (question) => {
      const given = { question, history: [], research: false, refused: [], hasModel: false };
      const sourcesAt = (now: number) =>
        prepareQuestion({ ...given, now }, planned).answer?.sources.map(({ id }) => id);
      expect(sourcesAt(NOW)).not.toContain("planned");
      expect(sourcesAt(NOW + 4 * DAY_MS)).toContain("planned");
    },
  );
});

describe("own figures", () => {
  it("are calculated by a model alone: without one, the rule is not charged", () => {
    const question = "USDT 提现手续费是多少，帮我算一下";
    expect(ask(question)).toMatchObject({ outcome: "unsure", first: "withdraw-fee" });
    expect(ask(question, true)).toMatchObject({ outcome: "answered", first: "withdraw-fee" });
  });

  it.each([
    ["how many badges do i have", "unsure"],
    ["how many badges have I already earned?", "unsure"],
    ["where is my order", "unsure"],
    ["我有多少徽章", "unsure"],
    ["我的订单到哪了", "unsure"],
    ["徽章还剩几个", "unsure"],
    ["订单到哪了", "unsure"],
  ])("that the service does not have are not charged by the rule about them: %s", (question, outcome) => {
    const badges = { en: "You get one badge for each order. There are 12 badges. A discount needs 3 badges.", zh: "" };
    const rules = new AnswerIndex([
      passage({ id: "badges", title: "Badges", text: badges.en }),
      passage({
        id: "徽章",
        lang: "zh",
        title: "徽章",
        text: "每个订单获得一枚徽章。徽章共有12种。集齐三枚徽章可享折扣。",
      }),
      passage({ id: "orders", title: "Orders", text: "An order takes 3 days. The order has a number." }),
      passage({ id: "订单", lang: "zh", title: "订单", text: "订单三天送达。每个订单有编号，可查到哪了。" }),
    ]);
    const given = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
    expect(prepareQuestion(given, rules).answer?.outcome).toBe(outcome);
  });

  it("are the reason of a decision on them, too", () => {
    expect(isKind("ownRecord", "why was my application rejected")).toBe(true);
  });

  it.each(["how many badges do I have to collect?", "how many days do i have", "徽章有多少种", "我的订单怎么取消"])(
    "are not meant by a question for a rule: %s",
    (question) => {
      expect(isKind("ownRecord", question)).toBe(false);
    },
  );
});

describe("a question of the operator's own free things, points, plans and notice periods", () => {
  const gifts = new AnswerIndex([
    passage({
      id: "bags",
      title: "Free bags",
      text: "Every customer gets 2 free bags a month. Other bags cost EUR 1.",
    }),
    passage({
      id: "card",
      title: "Gift card balance",
      text: "The balance of a gift card is printed on the receipt. Credit is paid back in 14 days.",
    }),
    passage({ id: "plan", title: "Change or cancel your plan", text: "The notice period of a plan is 2 weeks." }),
    passage({ id: "duty", title: "Duty free", text: "From duty free you may bring one bag on board." }),
    passage({ id: "vouchers", title: "Vouchers for points", text: "A voucher of EUR 5 costs 500 points." }),
    passage({ id: "袋子", lang: "zh", title: "免费袋子", text: "每位顾客每月可领 2 个免费袋子，其余每个 1 欧元。" }),
    passage({
      id: "升级",
      lang: "zh",
      title: "会员等级",
      text: "升级到银卡需要 500 积分，升级到金卡需要 2,000 积分。",
    }),
  ]);
  const routeOf = (question: string) => {
    const given = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
    const { routing, answer } = prepareQuestion(given, gifts);
    return { route: routing.route, first: answer?.sources[0]?.id };
  };

  it.each([
    ["how many free bags do I have left", "bags"],
    ["what's my gift card balance", "card"],
    ["how many points do I need for a voucher", "vouchers"],
    ["免费袋子还剩几个", "袋子"],
    ["升级金卡要多少积分", "升级"], // Nor with the newest notice, which is about an upgrade.
    ["how long until I get my credit back", "card"],
    ["downgrade my plan", "plan"],
    ["notice period", "plan"], // Nor with the newest notices.
    ["how much may I bring from duty free", "duty"],
  ])("is not answered with those of the assistant: %s", (question, first) => {
    expect(routeOf(question)).toEqual({ route: "help", first });
  });

  it.each([
    "how many points do I have",
    "what's my balance",
    "what plan do I have",
    "how many free questions do I have left today",
    "can I still ask for free today",
    "我还有多少积分",
    "我的余额",
    "今天的免费次数还剩多少",
  ])("differs from one of the assistant's: %s", (question) => {
    expect(routeOf(question)).toEqual({ route: "account", first: undefined });
  });

  it("asks for a price of the operator's where capitals are a size", () => {
    const plans = new AnswerIndex([passage({ id: "plans", title: "Plans and prices", text: "Plan S costs EUR 9." })]);
    const given = { history: [], research: false, refused: [], hasModel: false, now: NOW };
    expect(prepareQuestion({ ...given, question: "price of plan XL" }, plans)).toMatchObject({
      routing: { route: "help" },
      answer: { outcome: "unsure" },
    });
  });
});
