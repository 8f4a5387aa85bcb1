import type { RouteSeeds } from "./seed.ts";

/** Questions that the assistant does not answer; `general` also represents everything outside the domain in training. */
export const OUT_OF_SCOPE_SEEDS = {
  investment_advice: {
    zh: `我该不该买比特币
现在适合抄底吗
推荐几个能涨的币
BTC会涨到多少
以太坊明天会涨吗
该卖还是该拿着
哪个币能赚钱
帮我做个投资组合
预测一下比特币价格
现在做多还是做空
什么币能翻倍
年底比特币会到20万吗
我有一万块买什么币好
要不要止损
SOL值得投资吗
现在可以入场吗
帮我分析下该不该加仓
哪个币最有潜力
应该全仓买入吗
我被套了要割肉吗
怎么投资才能稳赚
现在买比特币合适吗
ETH能涨到5000吗
我该卖掉SOL吗
哪个币下一波会涨
现在开多合适吗`,
    en: `should I buy bitcoin
is now a good time to buy the dip
recommend some coins that will go up
how high will BTC go
will ethereum rise tomorrow
should I sell or hold
which coin will make me rich
build me a portfolio
predict the price of bitcoin
should I go long or short
which coin will 10x
will bitcoin reach 200k this year
I have 1000 dollars what should I invest in
should I cut my losses
is SOL a good investment
is it time to enter the market
should I add to my position
which altcoin has the most potential
should I go all in
price prediction for XRP
what's the best crypto to buy now
give me trading signals
is it smart to go long on BTC
should I sell my SOL
what coin should I buy
will ETH hit 5000
is BTC going to crash`,
  },
  general: {
    zh: `今天天气怎么样
给我讲个笑话
写一首关于春天的诗
红烧肉怎么做
推荐一部电影
北京有什么好玩的
帮我写一段Python代码
1加1等于几
法国的首都是哪里
世界杯谁赢了
帮我订一张机票
附近有什么餐馆
怎么减肥
帮我翻译这句话
今天是星期几
定一个明早七点的闹钟
唐朝有多少年
我头疼怎么办
推荐一本小说
怎么学英语
帮我写作业
放一首歌
明天的高铁票
地球离月亮多远
怎么养猫
谁是美国总统
帮我写一封求职信
手机没电了怎么办
酒店价格多少
如何修自行车
孩子发烧怎么处理
解一下这个方程
世界上最高的山
周杰伦的歌
我和女朋友吵架了
帮我起个名字
怎么去天安门
量子力学是什么
做蛋糕需要多少面粉
昨晚的比赛比分
明天会下雨吗
帮我写一首诗
中国第一个皇帝是谁
附近哪里有火锅
怎么治感冒
讲讲三国演义
推荐一家餐厅
长城有多长
怎么做西红柿炒蛋
写个请假条
今天吃什么
英语作文怎么写
上海到北京多远
孩子上学怎么办
怎么种花
猫为什么怕水
最近有什么好看的电视剧
哪个手机好用
怎么考驾照
明星八卦
帮我算一下12乘以8
怎么洗羽绒服
世界上有多少个国家
打印机连不上
我想学吉他
去日本要签证吗
公务员考试什么时候
附近的医院
梦见蛇是什么意思
衣服怎么搭配`,
    en: `what's the weather today
tell me a joke
write a poem about spring
how do I cook spaghetti
recommend a movie
what is there to do in paris
write python code to sort a list
what is 1 plus 1
what is the capital of france
who won the world cup
book me a flight
any good restaurants nearby
how do I lose weight
translate this sentence to spanish
what day is it today
set an alarm for seven
when did the roman empire fall
I have a headache what should I do
suggest a good novel
how can I learn english
do my homework
play a song
train tickets for tomorrow
how far is the moon
how do I take care of a cat
who is the president
write a cover letter
my phone battery died
cheap hotel in london
how to fix a flat tire
what is the boiling point of water
solve this equation
what is the tallest mountain
how many calories are in an apple
I had a fight with my girlfriend
suggest a name for my dog
how do I get to the airport
explain quantum mechanics
how much flour do I need for a cake
who scored in last night's game
add milk to my shopping list
remind me to call mom
how do you spell necessary
what time is it in tokyo
turn off the lights
what is the meaning of life
when is my car due for service
how do I apply for a passport
will it rain tomorrow
write me a song
how do I bake bread
who won the champions league
square root of 81
write a java function
translate hello into japanese
best hotels in tokyo
how tall is mount everest
how do I renew my driving licence
who wrote hamlet
what should I eat tonight
how old is the universe
fix my printer
how to train a dog
recipe for pancakes
what is photosynthesis
directions to the museum
find me a dentist
is it going to snow
what movies are playing
how do I change a tire
help me with my essay
what is the population of india
convert miles to kilometers
how do I get a visa for japan
how to grow tomatoes
what size shoes should I wear
tell me a story
when is easter
who painted the mona lisa
what is a good gift for my wife
how do I remove a wine stain
play some jazz
call a taxi
what is on tv tonight
how many legs does a spider have
when was the war
what are the symptoms of flu
can you sing`,
  },
} as const satisfies RouteSeeds;
