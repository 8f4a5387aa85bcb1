const words = (text: string): string[] => text.trim().split(/\s+/);

/** English word forms; `*` stands for any ending. */
export const POSITIVE_EN = words(`
  gain gains gained gaining rise rises rose rising rally rallies rallied rallying surge surges surged surging soar soars
  soared soaring jump jumps jumped jumping climb climbs climbed climbing rebound rebounds rebounded recover recovers
  recovered recovery bullish upbeat optimis* record high highs boom booming boost boosts boosted win wins won winner
  approve approves approved approval clears cleared adopt adopts adopted adoption breakthrough milestone success*
  profit profits profitable growth grow grows grew growing strong stronger strongest strength outperform* beat beats
  upgrade upgrades upgraded inflow inflows accumulate* support supports supported secure secured partnership partner
  launch launches launched expand expands expanded expansion reward rewards refund refunds reimburse* compensat*
  improve* improving better best positive healthy healthier confidence dovish easing greed breakout oversubscribed
  unveils celebrates wins praised thrive* comeback resume resumes resumed restored`);

export const NEGATIVE_EN = words(`
  fall falls fell falling drop drops dropped dropping plunge* plunging crash crashes crashed crashing slump* tumble*
  tumbling slide slides slid sliding sink sinks sank decline* declining dip dips dipped lose loses lost loss losses
  losing bearish pessimis* fear fears panic sell-off selloff liquidat* hack hacks hacked hacker hackers exploit exploits
  exploited breach* steal steals stole stolen theft drain drains drained attack attacks attacked attacker attackers
  scam scams fraud fraudulent phishing malicious rug lawsuit sue sues sued charges charged guilty jail prison arrest*
  indict* ban bans banned crackdown fine fined penalt* sanction* probe probes investigat* bankrupt* insolven* default
  defaults collapse* halt halts halted suspend* pause pauses paused delist* delay delays delayed outage outages down
  warn warns warned warning warnings risk risks risky threat* weak weaker weakest weakness worst worse worsen* negative
  outflow outflows shrink* shrank miss misses missed layoff* vulnerab* bug bugs flaw flaws error errors crisis
  recession inflation hawkish volatile turmoil concern concerns worry worries worried struggle* trouble* reject rejects
  rejected denies denied victim victims tampered dump dumped dumping death dead killed killing fails failed failure`);

/** Chinese words and phrases; the longest match at a place counts. */
export const POSITIVE_ZH = words(`
  上涨 大涨 暴涨 飙升 攀升 走高 拉升 涨幅 涨势 领涨 跟涨 普涨 反弹 回升 回暖 转暖 新高 突破 站上 重返 升破 利好 看涨 看多 乐观
  牛市 增长 增加 增持 加仓 净流入 流入 吸金 回流 获批 批准 通过 获准 放行 成功 盈利 利润 强劲 超预期 领先 支持 合作 落地 上线 推出
  升级 改善 优化 提升 稳健 复苏 恢复 创纪录 纪录 偏鸽 鸽派 降息 宽松 赔付 补偿 追回 奖励 信心 走强 企稳 持稳 最强 里程碑 采用 普及
  获得 完成 扩张 扩容 下调费用 贪婪 温和 健康 高开 跑赢 領漲 上漲 大漲 暴漲 飆升 反彈 獲批 強勁 樂觀 淨流入 漲勢`);

export const NEGATIVE_ZH = words(`
  下跌 大跌 暴跌 跌破 跌幅 走低 走弱 回落 下挫 重挫 跳水 崩盘 闪崩 腰斩 新低 利空 看跌 看空 悲观 恐慌 恐惧 熊市 抛售 卖压 减持 爆仓
  清算 净流出 流出 亏损 损失 蒸发 缩水 被盗 盗取 失窃 盗币 遭攻击 攻击 黑客 漏洞 缺陷 入侵 钓鱼 诈骗 欺诈 跑路 骗局 恶意 篡改 起诉 诉讼
  指控 被捕 逮捕 罚款 处罚 制裁 禁止 禁令 打击 调查 破产 倒闭 违约 暂停 停牌 下架 退市 推迟 延期 宕机 故障 中断 警告 警示 风险 威胁 疲软
  低迷 衰退 通胀 担忧 担心 忧虑 偏鹰 鹰派 加息 裁员 脱锚 泄露 受害 危机 恶化 拒绝 否决 失败 死亡 收紧 反对 套牢 砸盘 踩踏 大跌 下滑 萎缩
  虧損 損失 被盜 恐慌 拋售 漏洞 駭客 詐騙 下跌 暴跌 警告 風險`);

/** A word before that turns the next one round. */
export const NEGATORS_EN = new Set(
  words(`not no never without neither nor cannot hardly barely unlikely non denies deny`),
);
export const NEGATORS_ZH = words(`没有 并未 并非 尚未 无法 不会 不再 不能 未能 未 没 无 不 非 否认 免于 避免 防止`);

/** Verbs that make a bad thing smaller: "losses narrow", "eases fears", 跌幅收窄. They turn a negative word round. */
export const RELIEF_EN = words(`
  ease eases eased easing narrow narrows narrowed narrowing curb curbs curbed avert averts averted avoid avoids avoided
  shrug shrugs resolve resolves resolved fix fixes fixed patch patches patched prevent prevents prevented recover recovers
  recovered erase erases erased pare pares pared`);
export const RELIEF_ZH = words(`收窄 缓解 缓和 消退 化解 修复 解除 挽回 追回 抹平 降温 减轻 不可追究 不追究`);
