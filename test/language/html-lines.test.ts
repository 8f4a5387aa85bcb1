import { describe, expect, it } from "vitest";
import { articleOf, withoutFurniture } from "../../src/language/html-lines.ts";
import { plainText } from "../../src/language/plain-text.ts";
import { unitsOf } from "../../src/assistant/retrieval/text-units.ts";

/** The lines of an article that say something, with bullets. */
const linesOf = (html: string): string[] =>
  plainText(html, "- ")
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));

describe("lists in HTML", () => {
  it("keep the numbers of their items", () => {
    const html = "<p>To withdraw:</p><ol><li>Open Assets.</li><li>Choose <b>Withdraw</b>.</li></ol><p>Then wait.</p>";
    expect(linesOf(html)).toEqual(["To withdraw:", "1. Open Assets.", "2. Choose Withdraw.", "Then wait."]);
  });

  it("number a list within an item by it, and go on behind it", () => {
    const html =
      "<ol><li>Open<ol><li>Tap</li><li>Swipe<ol><li>Left</li></ol></li></ol></li><li>Close<ul><li>Now</li></ul></li></ol>";
    expect(linesOf(html)).toEqual(["1. Open", "1.1 Tap", "1.2 Swipe", "1.2.1 Left", "2. Close", "- Now"]);
  });

  it.each([
    ['<ol start="4"><li>a</li><li>b</li></ol>', ["4. a", "5. b"]],
    ["<ol start=0><li>a</li><li>b</li></ol>", ["0. a", "1. b"]],
    ["<ol><li value='7'>a</li><li>b</li></ol>", ["7. a", "8. b"]],
    ["<ol data-start='9'><li>a</li></ol>", ["1. a"]],
    ["<ol start='none'><li>a</li></ol>", ["1. a"]],
    ['<ul><li value="3">a</li><li>b</li></ul>', ["- a", "- b"]],
    ["<li>a<li>b<p>c</p>", ["- a", "- b", "c"]],
    ["<ol><li>a<li>b</ol>c", ["1. a", "2. b", "c"]],
    ["</ol></ul><ol><li>a</ol>", ["1. a"]],
    ["<!-- <ol><li>x --><ol><li>a</ol>", ["1. a"]],
  ])("are read as browsers do: %s", (html, lines) => {
    expect(linesOf(html)).toEqual(lines);
  });

  it("have each item on one line, whatever blocks it consists of, and together in one paragraph", () => {
    const html = "<ol>\n<li>\n<p>Open\nAssets.</p>\n<p>It is on<br>top.</p>\n</li>\n<li><div>Wait.</div></li>\n</ol>";
    expect(linesOf(html)).toEqual(["1. Open Assets. It is on top.", "2. Wait."]);
    expect(new Set(unitsOf(html).map(({ block }) => block)).size).toBe(1);
    expect(unitsOf(html).map(({ kind }) => kind)).toEqual(["item", "item"]);
  });

  it("leave the lines of Markdown, and of what is set as it stands, as they are", () => {
    expect(linesOf("# Steps\n\n1. Open\n2. Close <b>it</b>\n\n<p>Bye</p>")).toEqual([
      "Steps",
      "1. Open",
      "2. Close it",
      "Bye",
    ]);
    expect(linesOf("<p>Run:</p><pre>one\ntwo</pre>")).toEqual(["Run:", "one", "two"]);
  });
});

describe("HTML", () => {
  it("has no ends of lines where its source is only wrapped", () => {
    expect(linesOf("<p>It costs\n0.5 USDT\r\nper withdrawal.</p>\n<p>Bye.</p>")).toEqual([
      "It costs 0.5 USDT per withdrawal.",
      "Bye.",
    ]);
  });
});

describe("what is of the page and not of the article", () => {
  it.each(["nav", "footer", "button", "select", "label", "form", "noscript", "template", "svg", "NAV"])(
    "is not read: %s",
    (name) => {
      expect(linesOf(`<p>One.</p><${name} class="x"><p>Not <b>this</b>.</p></${name}\n><p>Two.</p>`)).toEqual([
        "One.",
        "Two.",
      ]);
    },
  );

  it.each([
    [
      "<header><ul><li>Log in</li></ul><nav><h2>Menu</h2></nav><h1>Fees <b>now</b></h1>12:00</header>x",
      ["Fees now", "x"],
    ],
    ["<aside><p>Never share the words.</p></aside>", ["Never share the words."]],
    ["<aside>Was this article <b>helpful</b>?</aside>x", ["x"]],
    ["<aside>More<ul><li class=a> <a href=x>Fees</a></ul></aside>x", ["x"]],
    ['<div><ol class="breadcrumbs"><li>Home</li><li>Help</li></ol><div>x</div></div>', ["x"]],
    ["<ul role='navigation'><li>Home</li></ul><ul><li>x</li></ul>", ["- x"]],
    ["<form><nav>Home</nav><h1>Fees</h1><p>x</p></form>", ["Fees", "x"]],
    ["<nav>a<nav>b</nav>c</nav>x", ["x"]],
    ["<footer><nav><form><label>a</label></form></nav>b</footer>x", ["x"]],
    ["<nav>x<p>It is not closed.</p>", ["x", "It is not closed."]],
    ["x</nav>y", ["xy"]],
    ["<nav-item>x</nav-item>", ["x"]],
    ["<p>x</p><p>Was this article helpful? <button>Yes</button> <button>No</button></p>", ["x"]],
    ["<p>Was this helpful? Yes No</p><p>Did this page answer your question?</p>x", ["x"]],
    ["<p>Was this parcel useful? Yes.</p>", ["Was this parcel useful? Yes."]],
    ["<p>这篇文章对您有帮助吗？ 是 否</p><p>以上内容是否有帮助？</p><p>3 out of 4 found this helpful</p>x", ["x"]],
    ["<p>x</p><p>&copy; 2026 Coldbox</p><p>Copyright © 2026, all rights reserved.</p>", ["x"]],
  ])("is left out of %s", (html, lines) => {
    expect(linesOf(html)).toEqual(lines);
  });

  it.each([
    [
      "<nav>n</nav><main>a<article>b</article><article>c</article></main>d",
      "a<article>b</article><article>c</article>",
    ],
    ["a<article id=1>b</article >d", "b"],
    [
      "<head><title>a</title></head><body x>b<article>c</article><article>d</article>",
      "b<article>c</article><article>d</article>",
    ],
    ["<title>a</title>b<main>c", "b<main>c"],
    ["<!-- <main>a</main> --><script>'<main>b</main>'</script><main>c</main>", "c"],
  ])("is told by the only main or article: %s", (page, article) => {
    expect(articleOf(withoutFurniture(page)).trim()).toBe(article);
  });
});

describe("rows of tables in HTML", () => {
  const head = "<tr><th>Network</th><th>Fee</th></tr>";

  it("are lines whose cells stand between bars, and know the first one", () => {
    const html = `<table><thead>${head}</thead><tbody>\n<tr>\n<td><p>TRC-20</p></td>\n<td>1&nbsp;USDT</td>\n</tr></tbody></table>`;
    expect(linesOf(html)).toEqual(["| Network | Fee |", "| TRC-20 | 1 USDT |"]);
    expect(unitsOf(html).map(({ kind, head: first }) => [kind, first])).toEqual([
      ["item", undefined],
      ["item", "| Network | Fee |"],
    ]);
  });

  it("repeat a cell that spans rows, and leave empty what one spans of columns", () => {
    const html = `<table><tr><td rowspan="2">USDT</td><td>TRC-20</td><td>1</td></tr><tr><td>ERC-20</td><td>4</td></tr>
      <tr><td colspan=2>Both</td><td>5</td></tr></table>`;
    expect(linesOf(html)).toEqual(["| USDT | TRC-20 | 1 |", "| USDT | ERC-20 | 4 |", "| Both | | 5 |"]);
  });

  it("keep an empty cell, and are plain text where a table has one column", () => {
    expect(linesOf("<table><tr><td>a</td><td></td><td>c</td></tr><tr><td>One.</td></tr></table>")).toEqual([
      "| a | | c |",
      "One.",
    ]);
  });

  it("end where the next one begins, and spans with their table", () => {
    const open = "<table><tr><td rowspan=9>a<td>b<tr><td>c<table><tr><td>d<td>e";
    expect(linesOf(open)).toEqual(["| a | b |", "| a | c |", "| d | e |"]);
  });
});

describe("hostile HTML takes linear time and bounded room", () => {
  it.each([
    ["<ol><li>", ""],
    ["<ul>", ""],
    ["<li value=9999999>", "<ol>"],
    ["<table><tr><td>a<td>b", ""],
    ["<table", ""],
    ["<tr><td rowspan=1000>a<td>b", "<table>"],
    ["<td colspan=1000>aaaaaaaa", "<table><tr>"],
    ["<tr><td>", `<table><tr>${`<td rowspan=1000>${"a".repeat(200)}`.repeat(500)}`],
    ["</li></ol>", ""],
    ["<li", "<ol>"],
    ["<tr", "<table>"],
    ["\n\u0001", "<p></p>"],
    ["<nav>", ""],
    ["<nav", ""],
    ["<nav></aside></div>", ""],
    ["<div class=breadcrumb>", ""],
    ["<div class=breadcrumb></ul>", ""],
    ["</form>", "<form>".repeat(50_000)],
    ["<header><h1>", ""],
    ["<header><h1>", "<header>"],
    ["<h1><h2", "<header>"],
    ["<aside><li><a>", ""],
    ["<main><article>", ""],
    ["<article></article>", ""],
    ["Was this helpful?", ""],
  ])("of %j", (part, before) => {
    const html = before + part.repeat(Math.ceil(500_000 / part.length));
    const started = process.cpuUsage();
    const text = plainText(html, "- ");
    articleOf(`${html}</header></aside>`);
    expect(process.cpuUsage(started).user).toBeLessThan(2_500_000);
    expect(text.length).toBeLessThan(4 * html.length);
  });
});
