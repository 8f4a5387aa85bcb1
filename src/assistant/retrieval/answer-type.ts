import { fold } from "../../language/tokenize.ts";

const NUMBER =
  /\d|[零一二两三四五六七八九十百千万亿]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|million|billion|dozen|half|free|no)\b|免/;
const TIME =
  /\d\s*(?:年|月|日|号|时|点|分|秒|世纪|s\b)|\d{1,2}:\d{2}|\b(?:1\d|20)\d{2}\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|centuries|decade|year|month|week|day|hour|minute)s?\b|年|月|日|小时|分钟|工作日|每|期间|世纪|时期|after|before|when|until/;
const SPAN =
  /\d|\b(?:year|month|week|day|hour|minute|second)s?\b|年|月|日|天|小时|分钟|秒|周|工作日|every|each|daily|每|立即|即时|实时/;
const PLACE = /[省市县区国州洲城镇村岛山河湖海街路]|\b(?:in|at|on|near|from|to|under|open)\b|页|→|点击|打开|位于/;
const CAUSE =
  /因为|由于|因此|所以|原因|为了|导致|以便|的话|\b(?:because|since|due|therefore|so that|reason|cause|in order|as a result|led)\b/;

/** Kinds of question by their form, and what a sentence that answers one usually contains. The first match wins. */
const TYPES: readonly { readonly asks: RegExp; readonly holds: RegExp }[] = [
  { asks: /多久|多长时间|几天|几小时|几分钟|多少天|多少年|多少时间|\bhow (?:long|often|soon|quick|fast)/, holds: SPAN },
  {
    asks: /多少|几[个种次位名人家级条项倍]|多[大高长远重]|比例|百分之|\bhow (?:many|much|large|big|high|tall|far|old)|\bwhat (?:is the )?(?:percentage|number|amount|price|minimum|maximum|limit|fee)/,
    holds: NUMBER,
  },
  {
    asks: /什么时候|何时|哪一?年|哪一?天|几点|几月|什么时间|时间是|哪年|\bwhen\b|\bwhat (?:year|date|day|time|month|century|decade)/,
    holds: TIME,
  },
  {
    asks: /哪里|哪儿|何处|在哪|什么地方|哪个国家|哪个城市|\bwhere\b|\b(?:what|which) (?:city|country|state|place|region)/,
    holds: PLACE,
  },
  { asks: /为什么|为何|什么原因|原因是|\bwhy\b/, holds: CAUSE },
];

/** A test of whether a sentence contains what such a question asks for; undefined for a question of no such form. */
export function answerTypeOf(question: string): ((sentence: string) => boolean) | undefined {
  const folded = fold(question);
  const type = TYPES.find(({ asks }) => asks.test(folded));
  return type === undefined ? undefined : (sentence) => type.holds.test(fold(sentence));
}
