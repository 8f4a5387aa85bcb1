import { expect, it } from "vitest";
import { plainLine, plainText } from "../../src/language/plain-text.ts";

it.each([
  ["Avalanche dips <img src=x onerror=alert('t')//", "Avalanche dips"],
  ["Bakery opens <a href='https://bakery.example", "Bakery opens"],
  ["Ferry delayed </p", "Ferry delayed"],
  ["&amp;lt;img src=x onerror=alert(1)&amp;gt; Tram &amp;lt;b&amp;gt;back&amp;lt;/b&amp;gt;", "Tram back"],
  ["&lt;img src=x onerror=alert(1)&gt; Tram back", "Tram back"],
  ["a < b", "a < b"],
  ["I <3 trams", "I <3 trams"],
  ["P/E < 10 and yield > 4%", "P/E < 10 and yield > 4%"],
  ["if a <b and c=3", "if a <b and c=3"],
  ["《晚报》报道：票价 < 10 元", "《晚报》报道：票价 < 10 元"],
])("reads %j as the line %j", (html, line) => {
  expect(plainLine(html)).toBe(line);
});

it.each([
  ["Send it back <img src=x onerror=alert('t')//", "Send it back "],
  ["a < b, <3 and P/E < 10", "a < b, <3 and P/E < 10"],
])("reads the article %j as %j", (html, text) => {
  expect(plainText(html)).toBe(text);
});
