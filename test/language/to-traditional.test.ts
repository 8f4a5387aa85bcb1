import { expect, it } from "vitest";
import { scriptOfTag } from "../../src/language/detect-language.ts";
import { toTraditional } from "../../src/language/to-traditional.ts";
import { isTraditional, toSimplified } from "../../src/language/traditional.ts";

it.each([
  ["后台里的头发发出干净的回复", "後臺裡的頭髮發出乾淨的回覆", "後台裏的頭髮發出乾淨的回覆"],
  ["BTC 提现要多久？", "BTC 提現要多久？", "BTC 提現要多久？"],
  [
    "见 https://x.example/a?q=1 后台\n后台",
    "見 https://x.example/a?q=1 後臺\n後臺",
    "見 https://x.example/a?q=1 後台\n後台",
  ],
  ["皇后後來到了", "皇后後來到了", "皇后後來到了"],
  ["3天后或几天后退回天后宫", "3天後或幾天後退回天后宮", "3天後或幾天後退回天后宮"],
  ["请先尝试用它，总发售量已经上链", "請先嘗試用它，總發售量已經上鏈", "請先嘗試用它，總發售量已經上鏈"],
  ["no Chinese", "no Chinese", "no Chinese"],
])("writes %j in the characters of Taiwan and of Hong Kong", (simplified, tw, hk) => {
  expect([toTraditional(simplified, "tw"), toTraditional(simplified, "hk")]).toEqual([tw, hk]);
});

it.each([
  ["限价单只按您设定的价格或更优价格成交", "限價單只按您設定的價格或更優價格成交"],
  ["充值 500 美元后的第二天可以提现", "充值 500 美元後的第二天可以提現"],
  ["11只基金今天上涨，3 只下跌", "11隻基金今天上漲，3 隻下跌"],
  ["这只股票只在周三后才恢复交易", "這隻股票只在週三後才恢復交易"],
  ["两只 ETF 获批后，资金流入 2 亿美元", "兩隻 ETF 獲批後，資金流入 2 億美元"],
  ["每只新股只收一次手续费", "每隻新股只收一次手續費"],
  ["满 100 只收 1 元手续费", "滿 100 只收 1 元手續費"],
  ["余额为零只能充值，不能提现", "餘額為零只能充值，不能提現"],
  ["订单只显示最近 30 天的记录", "訂單只顯示最近 30 天的記錄"],
  ["账单只支持导出为表格", "賬單只支持導出為表格"],
  ["单只股票的持仓不得超过 10%", "單隻股票的持倉不得超過 10%"],
  ["市价单只会在有对手价时成交", "市價單只會在有對手價時成交"],
  ["退换只限未拆封的商品", "退換只限未拆封的商品"],
  ["一只代币只要一个地址", "一隻代幣只要一個地址"],
  ["基金经理管理的 5只可转债基金", "基金經理管理的 5隻可轉債基金"],
  ["船只到港后 3 天后放行", "船隻到港後 3 天後放行"],
  ["今天后不再受理纸质申请", "今天後不再受理紙質申請"],
  ["账户解封后可以重新登录", "賬戶解封後可以重新登錄"],
  ["银行卡被查封后请联系客服", "銀行卡被查封後請聯繫客服"],
  ["加群后请先阅读公告", "加群後請先閱讀公告"],
  ["台风后航班恢复正常", "颱風後航班恢復正常"],
  ["特朗普访美后的讲话影响了市场", "特朗普訪美後的講話影響了市場"],
  ["谷歌后台的通知请关闭", "谷歌後臺的通知請關閉"],
  ["人民币汇率跌破 7.2 元后反弹", "人民幣匯率跌破 7.2 元後反彈"],
  ["皇后区的门店周末营业", "皇后區的門店週末營業"],
  ["手续费复核后退回原账户", "手續費複核後退回原賬戶"],
  ["请尽快完成身份认证，否则无法划转", "請儘快完成身份認證，否則無法劃轉"],
  ["复制链接后粘贴到浏览器里", "複製鏈接後粘貼到瀏覽器裡"],
  ["系统准备升级，请提前保存表格", "系統準備升級，請提前保存表格"],
  ["折扣券只能使用一次，过期作废", "折扣券只能使用一次，過期作廢"],
  ["冻结的资金几天后自动解冻", "凍結的資金幾天後自動解凍"],
  ["这只是示例，那只要看公告", "這只是示例，那只要看公告"],
  ["数量只增不减，只读密钥不能下单", "數量只增不減，只讀密鑰不能下單"],
  ["平台只支持 BTC 与 ETH 的链上转账", "平臺只支持 BTC 與 ETH 的鏈上轉賬"],
  ["11 只科创板新股本周发售", "11 隻科創板新股本週發售"],
  ["共有 28 只个股涨停，6只跌停", "共有 28 隻個股漲停，6隻跌停"],
  ["只有实名用户才享受优惠", "只有實名用戶才享受優惠"],
  ["多余的余额会退还到付款的银行卡", "多餘的餘額會退還到付款的銀行卡"],
  ["干扰因素包括里程与台面布局", "干擾因素包括里程與檯面佈局"],
  ["升级为高级会员后，每天可免费提问几次", "升級為高級會員後，每天可免費提問幾次"],
])("writes %s as Taiwan does", (simplified, tw) => {
  expect(toTraditional(simplified, "tw")).toBe(tw);
});

it.each([
  ["zh-TW", "tw"],
  ["zh-Hant", "tw"],
  ["zh_Hant_TW", "tw"],
  ["zh-HK", "hk"],
  ["zh-Hant-HK", "hk"],
  ["yue-MO", "hk"],
  ["zh", undefined],
  ["zh-Hans-TW", undefined],
  ["zh-TWX", undefined],
  ["en-HK", undefined],
])("takes %s for the script %s", (tag, script) => {
  expect(scriptOfTag(tag)).toBe(script);
});

it.each([
  ["提幣要多久", true],
  ["提币要多久", false],
  ["著名交易所的乾坤", false],
  ["How long?", false],
])("%s: Traditional is %s", (text, is) => {
  expect(isTraditional(text)).toBe(is);
});

it.each(["tw", "hk"] as const)("is understood as what it was written from, in every character (%s)", (script) => {
  const decoder = new TextDecoder("gb2312");
  const common = Array.from({ length: 72 * 94 }, (_, at) =>
    decoder.decode(Uint8Array.of(0xb0 + Math.floor(at / 94), 0xa1 + (at % 94))),
  );
  const isLost = (one: string): boolean => {
    const written = toTraditional(one, script);
    const read = toSimplified(written);
    return read !== toSimplified(one) && toTraditional(read, script) !== written; // Else both are written the same.
  };
  const rare = "帐渖迳幺钜雠鲶"; // What is written for them stands for a more frequent one, too.
  expect(common.filter((one) => isLost(one) && !rare.includes(one)).join("")).toBe("");
});
