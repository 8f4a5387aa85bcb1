import type { RouteSeeds } from "./seeds.ts";

export const SMALL_TALK_SEEDS = {
  greeting: {
    zh: `你好
您好
嗨
哈喽
早上好
晚上好
下午好
在吗
有人吗
hi你好
你好呀
早安
哈罗
大家好`,
    en: `hello
hi
hey
hi there
good morning
good evening
good afternoon
hello there
hey there
greetings
are you there
howdy
hiya
yo`,
  },
  thanks: {
    zh: `谢谢
多谢
感谢你
非常感谢
谢谢你的帮助
谢啦
辛苦了
好的谢谢
太感谢了
谢了
感恩`,
    en: `thanks
thank you
thanks a lot
thank you so much
many thanks
appreciate it
thx
thanks for your help
great thanks
cheers
ok thank you`,
  },
  goodbye: {
    zh: `再见
拜拜
下次聊
我走了
晚安
先这样吧
回头见
没有别的问题了
88
明天见`,
    en: `goodbye
bye
see you later
good night
talk to you later
that's all for now
bye bye
see you tomorrow
no more questions
take care`,
  },
  identity: {
    zh: `你是谁
你叫什么名字
你是机器人吗
你是真人还是AI
你是什么模型
谁开发的你
介绍一下你自己
你是人工智能吗
你用的什么大模型
你是人工客服吗`,
    en: `who are you
what is your name
are you a robot
are you human or AI
what model are you
who made you
introduce yourself
are you an AI
which language model do you use
am I talking to a real person`,
  },
  capability: {
    zh: `你能做什么
你可以帮我什么
你有什么功能
怎么用你
我可以问你什么问题
你会什么
能帮我干嘛
你知道些什么
使用说明
你都能回答哪些问题
帮助
你能帮我吗`,
    en: `what can you do
how can you help me
what are your features
how do I use you
what can I ask you
what do you know
help
can you help me
which questions can you answer
list your functions
what are you good at
how does this assistant work`,
  },
  chat: {
    zh: `你今天怎么样
你真聪明
你好笨
哈哈
好的
知道了
明白了
你真棒
回答得不错
我好无聊
我今天很开心
你答错了
没事了
嗯嗯
你喜欢什么`,
    en: `how are you
you are smart
you are stupid
haha
ok
okay got it
I see
well done
good answer
I'm bored
I'm happy today
you are wrong
never mind
nice
how is it going`,
  },
} as const satisfies RouteSeeds;
