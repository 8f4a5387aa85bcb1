import type { RouteSeeds } from "./seed.ts";

/** Greetings and the like, and questions about the assistant itself. */
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
大家好
你好啊
嘿
hello
早
晚上好呀
哈啰
你好助手`,
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
yo
hello!
hey good morning
hi assistant
good day
hello friend
morning`,
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
感恩
好的，谢谢
谢谢你
多谢多谢
感谢解答`,
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
ok thank you
thank you very much
thanks for the help
thanks, that helped
ty`,
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
明天见
拜拜啦
再见了
下次再聊
先走了`,
    en: `goodbye
bye
see you later
good night
talk to you later
that's all for now
bye bye
see you tomorrow
no more questions
take care
ok bye
bye for now
see ya
good bye
have a nice day`,
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
你是人工客服吗
你是ChatGPT吗
你是人还是机器
你是谁开发的
你是哪家的机器人`,
    en: `who are you
what is your name
are you a robot
are you human or AI
what model are you
who made you
introduce yourself
are you an AI
which language model do you use
am I talking to a real person
are you a bot
are you chatgpt
are you a real person
what's your name
who built you`,
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
你能帮我吗
你都会些什么
你会做哪些事
能问你什么
你能回答什么`,
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
how does this assistant work
what can I ask
what can you help with
show me what you can do
what kind of questions do you answer`,
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
你喜欢什么
哈哈哈
呵呵
你真厉害
行吧
不错
懂了
我心情不好
你吃饭了吗
你真可爱`,
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
how is it going
you're pretty smart
lol
cool
great
sure
alright
how are you doing
I like you
you are funny
that is not right
how is your day`,
  },
} as const satisfies RouteSeeds;
