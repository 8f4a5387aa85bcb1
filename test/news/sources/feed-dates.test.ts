import { expect, test } from "vitest";
import { parseDate } from "../../../src/news/sources/feed-dates.ts";

test.each([
  ["Fri, 20 Nov 2026 16:00:00 +0800", "2026-11-20T08:00:00.000Z"],
  ["Mon, 03 Dec 2018 13:03:47 PST", "2018-12-03T21:03:47.000Z"],
  ["20 Nov 26 08:00 GMT", "2026-11-20T08:00:00.000Z"],
  ["Fri, 20 Nov 2026 08:00:00 GMT+8", "2026-11-20T00:00:00.000Z"],
  ["Friday, 20-Nov-26 08:00:00 UTC", "2026-11-20T08:00:00.000Z"],
  ["Fri Nov 20 08:00:00 2026", "2026-11-20T08:00:00.000Z"],
  ["November 20, 2026 08:00", "2026-11-20T08:00:00.000Z"],
  ["2026-11-20T08:00:00Z", "2026-11-20T08:00:00.000Z"],
  ["2026-11-20T08:00:00.25+08:00", "2026-11-20T00:00:00.250Z"],
  ["2026-11-20 08:00", "2026-11-20T08:00:00.000Z"],
  ["2026-11-20", "2026-11-20T00:00:00.000Z"],
  ["2026-11", "2026-11-01T00:00:00.000Z"],
  ["2026年11月20日 08:00", "2026-11-20T08:00:00.000Z"],
  ["2026/11/20 08:00:01", "2026-11-20T08:00:01.000Z"],
  ["2026年11月20日 08時00分", "2026-11-20T08:00:00.000Z"],
  ["20.11.2026 08:00", "2026-11-20T08:00:00.000Z"],
  ["Пт, 20 ноя 2026 11:00:00 +0300", "2026-11-20T08:00:00.000Z"],
  ["20 novembre 2026 08:00", "2026-11-20T08:00:00.000Z"],
  ["11/20/2026 8:00 AM", "2026-11-20T08:00:00.000Z"],
  ["11/20/2026, 8:00:05 PM", "2026-11-20T20:00:05.000Z"],
  ["20/11/2026 08:00", "2026-11-20T08:00:00.000Z"],
  ["November 20, 2026 8:00 pm", "2026-11-20T20:00:00.000Z"],
  ["1795161600", "2026-11-20T08:00:00.000Z"],
  ["1795161600000", "2026-11-20T08:00:00.000Z"],
  ["2026年11月20日8时5分", "2026-11-20T08:05:00.000Z"],
  ["2026年11月20日 星期五 下午3:05", "2026-11-20T15:05:00.000Z"],
  ["2026年11月20日 中午12:30", "2026-11-20T12:30:00.000Z"],
  ["令和8年11月20日(金) 午前8時00分", "2026-11-20T08:00:00.000Z"],
  ["2026. 11. 20. 오후 3:05", "2026-11-20T15:05:00.000Z"],
  ["20 ноября 2026 г., 11:00 МСК", "2026-11-20T08:00:00.000Z"],
  ["20. Nov. 2026, 08:00 Uhr", "2026-11-20T08:00:00.000Z"],
  ["20 juillet 2026 à 8h05", "2026-07-20T08:05:00.000Z"],
  ["viernes, 20 de noviembre de 2026 08:00", "2026-11-20T08:00:00.000Z"],
  ["20 listopada 2026", "2026-11-20T00:00:00.000Z"],
  ["Nov. 20, 2026, 8:00 a.m. ET", "2026-11-20T13:00:00.000Z"],
  ["Fri Nov 20 2026 08:00:00 GMT+0800 (China Standard Time)", "2026-11-20T00:00:00.000Z"],
  ["20261120T080000Z", "2026-11-20T08:00:00.000Z"],
])("reads %s", (text, iso) => {
  expect(new Date(parseDate(text) ?? Number.NaN).toISOString()).toBe(iso);
});

test.each([
  "",
  "yesterday",
  "2026-02-30",
  "31 Feb 2026 10:00:00 GMT",
  "20 Nov 2026 08:00:00 XYZ",
  "2026-11-20T25:00:00Z",
])("refuses %j", (text) => {
  expect(parseDate(text)).toBeNull();
});

test("reads a date without a zone in the zone given", () => {
  expect(parseDate("2026-11-20 08:00:00", 480)).toBe(Date.parse("2026-11-20T00:00:00Z"));
  expect(parseDate("2026-11-20T08:00:00Z", 480)).toBe(Date.parse("2026-11-20T08:00:00Z"));
});

test("reads CST as China's in the zone of China, else as America's", () => {
  expect(parseDate("Fri, 20 Nov 2026 08:00:00 CST", 480)).toBe(Date.parse("2026-11-20T00:00:00Z"));
  expect(parseDate("Fri, 20 Nov 2026 08:00:00 CST")).toBe(Date.parse("2026-11-20T14:00:00Z"));
});

test.each([
  ["3 小时前", "2026-11-20T09:00:00.000Z"],
  ["5分钟前", "2026-11-20T12:29:00.000Z"],
  ["2時間前", "2026-11-20T10:00:00.000Z"],
  ["2 hours ago", "2026-11-20T10:00:00.000Z"],
  ["an hour ago", "2026-11-20T11:00:00.000Z"],
  ["2 часа назад", "2026-11-20T10:00:00.000Z"],
  ["vor 2 Stunden", "2026-11-20T10:00:00.000Z"],
  ["il y a 3 jours", "2026-11-17T00:00:00.000Z"],
  ["昨天 15:05", "2026-11-19T07:05:00.000Z"],
  ["Yesterday, 3:05 PM", "2026-11-19T07:05:00.000Z"],
  ["今天", "2026-11-19T16:00:00.000Z"],
  ["刚刚", "2026-11-20T12:34:00.000Z"],
  ["just now", "2026-11-20T12:34:00.000Z"],
])("reads %s before now, in the zone given, to its unit", (text, iso) => {
  const now = Date.parse("2026-11-20T12:34:56Z");
  expect(new Date(parseDate(text, 480, now) ?? Number.NaN).toISOString()).toBe(iso);
  expect(parseDate(text, 480)).toBeNull();
});

test.each([
  ["Nov 3, 14:05", "2026-11-03T06:05:00.000Z"],
  ["Tue, Nov. 3rd at 2:05 p.m. ET", "2026-11-03T19:05:00.000Z"],
  ["11月3日 14:05", "2026-11-03T06:05:00.000Z"],
  ["11月3日 星期二 下午2:05", "2026-11-03T06:05:00.000Z"],
  ["11월 3일 오후 2:05", "2026-11-03T06:05:00.000Z"],
  ["3 ноября", "2026-11-02T16:00:00.000Z"],
  ["3 ноября в 14:05 МСК", "2026-11-03T11:05:00.000Z"],
  ["3. November, 14:05 Uhr", "2026-11-03T06:05:00.000Z"],
  ["Dec 31", "2025-12-30T16:00:00.000Z"],
  ["11月22日", "2025-11-21T16:00:00.000Z"],
  // Its zone may be another one than that given.
  ["Nov 21, 03:00", "2026-11-20T19:00:00.000Z"],
  ["29 Feb", "2024-02-28T16:00:00.000Z"],
])("reads %s in the year that puts it last before now, in the zone given", (text, iso) => {
  const now = Date.parse("2026-11-20T12:34:56Z");
  expect(new Date(parseDate(text, 480, now) ?? Number.NaN).toISOString()).toBe(iso);
  expect(parseDate(text, 480)).toBeNull();
});

test("reads a day without a year across New Year", () => {
  const midnight = Date.parse("2026-12-31T23:30:00Z");
  expect(parseDate("1月1日 07:00", 480, midnight)).toBe(Date.parse("2026-12-31T23:00:00Z"));
  expect(parseDate("12月31日 23:00", 480, Date.parse("2027-01-01T12:00:00Z"))).toBe(Date.parse("2026-12-31T15:00:00Z"));
});

test.each([
  "13月3日",
  "2月30日 10:00",
  "11月3日 25:00",
  "Nov 3, 14:05 XYZ",
  "3 apples",
  "Hot 100",
  "May",
  "11",
  "14:05",
])("no day without a year is %j", (text) => {
  expect(parseDate(text, 480, Date.parse("2026-11-20T12:34:56Z"))).toBeNull();
});

test.each(["3 apples ago", "hours", "soon", "9999999 hours ago"])("no time before now is %j", (text) => {
  expect(parseDate(text, 0, Date.parse("2026-11-20T12:34:56Z"))).toBeNull();
});
