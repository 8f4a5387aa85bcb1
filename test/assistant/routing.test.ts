import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seedExamples } from "../../scripts/train-router.js";
import { routeQuestion, type RouteContext } from "../../src/assistant/routing/router.ts";

const LABELS = new Set(seedExamples().map(({ label }) => label));

function route(question: string, hints: Partial<RouteContext> = {}) {
  return routeQuestion(question, { history: [], ...hints });
}

function labelOf(question: string, hints: Partial<RouteContext> = {}): string {
  const { route: name, sub_intent } = route(question, hints);
  return `${name}/${sub_intent}`;
}

function after(question: string): Partial<RouteContext> {
  return { history: [{ question, answer: "…" }] };
}

describe("routing", () => {
  it.each([
    ["account/balance", "看看我剩多少积分", "How many points do I have left?"],
    ["account/quota", "今天我还有免费机会吗", "Do I still have any free question today?"],
    ["account/quota_reset", "我的免费次数多久刷新一次", "When do I get my free uses back?"],
    ["account/ledger", "帮我看下最近扣积分的记录", "Can I see my recent point charges?"],
    ["account/subscription", "我的会员还有多久到期", "Is my subscription still active?"],
    ["account/exchange", "我想用 12 个 LMX 换积分", "I'd like to convert 12 LMX to points"],
    ["help/deposit", "充值一直没有到账", "my deposit still did not arrive"],
    ["help/withdrawal", "为啥我的提现还在审核中", "Why is my withdrawal still in review?"],
    ["help/kyc", "护照可以用来做身份认证么", "Can I use my passport to verify?"],
    ["help/futures", "逐仓和全仓有啥不同", "how do I switch from cross to isolated"],
    ["help/fees", "现货 taker 费率", "maker fee for a new user"],
    ["help/earn", "ETH 质押几天可以赎回", "how long until I can redeem staked ETH"],
    ["help/points", "AI 积分是怎么来的", "what can points be used for"],
    ["notice/listing", "最近上了什么新币", "any new tokens listed this week"],
    ["notice/delisting", "有没有要下架的币", "which pairs are getting delisted"],
    ["notice/maintenance", "钱包维护什么时候结束", "when does the wallet maintenance end"],
    ["news/latest", "今天币圈有什么新闻", "what's the crypto news today"],
    ["news/symbol", "BTC 最近有什么消息", "any news about solana"],
    ["news/symbol", "比特币", "ETH"],
    ["market/mood", "现在市场情绪如何", "how is the market sentiment"],
    ["market/hot_topics", "现在有哪些热门话题", "what are the trending topics"],
    ["market/price", "ETH 现在多少钱", "current price of ETH"],
    ["small_talk/greeting", "你好呀！", "Hello!"],
    ["small_talk/thanks", "好的，谢谢你", "thank you very much!"],
    ["small_talk/capability", "你都能做什么", "what can you do for me?"],
    ["out_of_scope/investment_advice", "ETH 能涨到 5000 吗", "Should I sell my SOL?"],
    ["out_of_scope/general", "明天上海会下雨吗", "how do I bake bread"],
  ])("sends to %s: %s / %s", (label, zh, en) => {
    expect([labelOf(zh), labelOf(en)]).toEqual([label, label]);
  });

  it.each([
    ["traditional characters", "提幣要多久才到賬", "help/withdrawal"],
    ["misspellings", "withdrawel limit per day", "help/withdrawal"],
    ["mixed languages", "我的 withdrawal 怎么还没 arrive", "help/withdrawal"],
    ["full-width letters", "ＫＹＣ 需要什么资料", "help/kyc"],
    ["a greeting before the question", "你好，请问怎么提现？", "help/withdrawal"],
    ["capitals", "HOW DO I DEPOSIT USDT", "help/deposit"],
  ])("bears %s", (_, question, label) => {
    expect(labelOf(question)).toBe(label);
  });

  it("tells the language of the question, also when it names English assets", () => {
    expect(route("BTC 和 ETH 今天怎么样").lang).toBe("zh");
    expect(route("What does 合约 mean on your futures page?").lang).toBe("en");
    expect(route("12345").lang).toBe("en");
  });

  it("reads a follow-up together with the question before it", () => {
    expect(route("那多久能到呢？", after("怎么提现 USDT？"))).toMatchObject({
      route: "help",
      sub_intent: "withdrawal",
    });
    expect(route("and for USDT?", after("What is the withdrawal fee?")).route).toBe("help");
    expect(route("and for USDT?").route).not.toBe("help");
  });

  it("lets a question that stands on its own change the subject", () => {
    expect(labelOf("今天有什么新闻", after("怎么提现 USDT？"))).toBe("news/latest");
  });

  it("takes the page for what a bare question is about", () => {
    expect(route("最少要多少", { page_context: "withdraw" }).route).toBe("help");
    expect(route("最少要多少").route).toBe("out_of_scope");
  });

  it.each([
    ["深度分析一下以太坊升级", true],
    ["Research the Tidepool exploit for me", true],
    ["give me an in-depth report on ETF flows", true],
    ["以太坊升级是什么时候", false],
    ["what is advanced research?", false],
    ["我能用深度研究吗", false],
  ])("hears whether %s asks for research", (question, research) => {
    expect(route(question).research).toBe(research);
  });

  it("never calls a question about advice a question for the help center", () => {
    for (const question of [
      "该不该买比特币",
      "现在适合抄底吗",
      "which coin should I buy",
      "LMX 值得买吗",
      "would you buy LMX at this price",
    ]) {
      expect(labelOf(question)).toBe("out_of_scope/investment_advice");
    }
  });

  it.each([
    "can you multiply 45 by 23",
    "i need you to flip a coin",
    "do you know the song on the speaker right now",
    "这家餐馆的人均消费是多少",
    "哦好的，那你能帮我查一下酒店周边都有哪些餐馆吗？",
  ])("is not taken in by what only sounds like its questions: %s", (question) => {
    expect(route(question).route).toBe("out_of_scope");
  });

  it.each(["17 x 243", "whats 348 times 17", "what is 12.5 + 30?", "请问12加30等于几", "帮我算一下 3*4*5="])(
    "knows a sum: %s",
    (question) => {
      expect(route(question)).toMatchObject({ route: "out_of_scope", confidence: 1 });
    },
  );

  it("says the same twice, for any text, within the routes there are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (question) => {
        const routing = route(question);
        expect(routeQuestion(question, { history: [] })).toEqual(routing);
        expect(LABELS).toContain(`${routing.route}/${routing.sub_intent}`);
        expect(routing.confidence).toBeGreaterThanOrEqual(0);
        expect(routing.confidence).toBeLessThanOrEqual(1);
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});
