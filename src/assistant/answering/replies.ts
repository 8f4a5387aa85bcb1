import type { Language } from "../../contract/schemas/shared-fields.ts";

type Wording = Readonly<Record<Language, string>>;

const SMALL_TALK: Readonly<Record<string, Wording>> & { readonly chat: Wording } = {
  greeting: {
    zh: "您好！我可以回答平台使用、公告、资讯和市场情绪方面的问题，也可以帮您查看积分和免费次数。请问想了解什么？",
    en: "Hello! I can answer questions about using the platform, its announcements, the news and the market mood, and look up your points and free questions. What would you like to know?",
  },
  thanks: { zh: "不客气！还有其他问题随时问我。", en: "You're welcome! Ask me whenever there is something else." },
  goodbye: { zh: "再见，祝您一切顺利！", en: "Goodbye, and all the best!" },
  identity: {
    zh: "我是这个平台的智能助手，是程序而不是真人。我根据帮助中心、公告和新闻来回答，并附上来源链接。",
    en: "I am this platform's assistant: a program, not a person. I answer from the help center, the announcements and the news, and link my sources.",
  },
  capability: {
    zh: "我可以：解答充值、提现、身份认证、交易、手续费等使用问题；查找平台公告；整理最新资讯和热点；说明市场情绪；查看您的积分、免费次数和套餐。我不提供投资建议。例如可以问我：提现手续费是多少？",
    en: "I can explain deposits, withdrawals, verification, trading and fees; find announcements; bring the latest news and hot topics; describe the market mood; and look up your points, free questions and plan. I do not give investment advice. You could ask: what is the withdrawal fee?",
  },
  chat: {
    zh: "好的！平台使用、公告、资讯或积分方面有什么想了解的，直接问我就好。",
    en: "Got it! If there is anything you would like to know about the platform, its announcements, the news or your points, just ask.",
  },
};

/** The reply to small talk. */
export function smallTalk(subIntent: string, lang: Language): string {
  return (SMALL_TALK[subIntent] ?? SMALL_TALK.chat)[lang];
}

/** Fixed replies. They state no fact that needs a source. */
export const REPLIES = {
  account: {
    zh: "您可以在账户页面查看积分、免费次数、积分明细和套餐。",
    en: "You can see your points, free questions, points history and plan on your account page.",
  },
  investmentAdvice: {
    zh: "我不能给出买卖建议，也无法预测价格，请您根据自己的情况判断并注意风险。我可以为您提供最新资讯、市场情绪，或解释某个产品和费用的规则。",
    en: "I can't advise you to buy or sell, and I can't predict prices; please decide for yourself and mind the risk. I can bring you the latest news, the market mood, or explain how a product or a fee works.",
  },
  outOfScope: {
    zh: "这个问题不在我能回答的范围内。我可以解答平台使用、公告、加密资讯、市场情绪和积分方面的问题，例如：如何充值？今天有哪些重要新闻？",
    en: "That is outside what I can answer. I can help with using the platform, its announcements, crypto news, the market mood and your points; for example: how do I deposit? What is the important news today?",
  },
  notFoundHelp: {
    zh: "抱歉，我在帮助中心和公告里没有找到能回答这个问题的内容。您可以换个说法、说明具体的币种或功能，或联系人工客服。也可以问我：如何充值？提现手续费是多少？",
    en: "Sorry, I found nothing in the help center or the announcements that answers this. Try other words, name the coin or the feature, or contact support. You could also ask: how do I deposit? What is the withdrawal fee?",
  },
  notFoundNotice: {
    zh: "抱歉，我没有找到与此相关的公告。您可以说明具体的币种或功能，或问我：最近有什么公告？",
    en: "Sorry, I found no announcement about this. Name the coin or the feature, or ask me: what are the latest announcements?",
  },
  notFoundNews: {
    zh: "抱歉，我没有找到与此相关的资讯。您可以换个关键词，或问我：今天有哪些重要新闻？",
    en: "Sorry, I found no news about this. Try other words, or ask me: what is the important news today?",
  },
} as const satisfies Record<string, Wording>;

/** First lines of lists of headlines. */
export const LEADS = {
  latestNews: { zh: "最新资讯：", en: "The latest news:" },
  relatedNews: { zh: "相关资讯：", en: "Related news:" },
  latestNotices: { zh: "最新公告：", en: "The latest announcements:" },
} as const satisfies Record<string, Wording>;
