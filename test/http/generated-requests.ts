import fc from "fast-check";
import { z } from "zod";
import { ENDPOINTS, type Endpoint } from "../../src/contract/endpoints.ts";
import { CODE_POINT } from "../support/code-points.ts";

/** A request as it goes out. */
export interface Generated {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const endpoints: readonly Endpoint[] = Object.values(ENDPOINTS);

/** What no field expects, and each may be sent. */
const oddities = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.string({ unit: CODE_POINT, maxLength: 40 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      null,
      "",
      " ",
      "\0",
      "\ud800",
      "0",
      -1,
      0,
      1.5,
      1e308,
      5e-324,
      2 ** 53,
      -(2 ** 53),
      [],
      {},
      "x".repeat(3000),
      "__proto__",
      JSON.parse('{"__proto__":1,"a":[{"__proto__":{}}]}'),
    ),
  },
);

/** Values of a schema, mostly within its bounds and often on them. */
function valuesOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return valuesOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodEnum) return fc.constantFrom<unknown>(...schema.options);
  if (schema instanceof z.ZodNumber) return numbersOf(schema);
  if (schema instanceof z.ZodString) return textsOf(schema);
  if (schema instanceof z.ZodObject) return objectsOf(schema);
  if (schema instanceof z.ZodRecord) return fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue({ maxDepth: 3 }));
  return oddities;
}

function numbersOf({ minValue, maxValue, format }: z.ZodNumber): fc.Arbitrary<unknown> {
  const min = Math.max(minValue ?? -1e15, -1e15);
  const max = Math.min(maxValue ?? 1e15, 1e15);
  if (format !== "safeint")
    return fc.oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(0.29, 1.5, 1e-8, 1e12));
  return fc.oneof(fc.integer({ min, max: Math.min(max, min + 200) }), fc.constantFrom(min - 1, min, max, max + 1));
}

function textsOf(schema: z.ZodString): fc.Arbitrary<unknown> {
  const { minLength = 1, maxLength = 100 } = (schema.meta() ?? {}) as { minLength?: number; maxLength?: number };
  return fc.oneof(
    fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 60) }),
    fc.constantFrom("提现手续费是多少？", "How many points do I have?", "hello", "zh", "BTC"),
    fc.constantFrom("界".repeat(maxLength), "😀".repeat(maxLength), "x".repeat(maxLength + 1)),
  );
}

/** Objects of a schema: now and then a field is missing, odd or unknown. */
function objectsOf(schema: z.ZodObject): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) =>
    fc
      .tuple(
        fc.constantFrom("valid", "valid", "valid", "valid", "valid", "valid", "odd", "missing"),
        valuesOf(field),
        oddities,
      )
      .map(([kind, value, odd]): [string, unknown][] => {
        if (kind === "missing" || (field instanceof z.ZodOptional && kind === "valid" && value === "hello")) return [];
        return [[name, kind === "odd" ? odd : value]];
      }),
  );
  const extra = fc.option(fc.tuple(fc.string({ maxLength: 12 }), oddities), { freq: 8 });
  return fc
    .tuple(fc.tuple(...fields), extra)
    .map(
      ([known, more]) =>
        Object.fromEntries([...known.flat(), ...(more === null ? [] : [more])]) as Record<string, unknown>,
    );
}

/** Some numbers as a client should not write them. */
function spelled(text: string): string {
  const odd = [`0${text}`, `${text}.0`, `+${text}`, ` ${text}`, `${text}e0`];
  return /^\d+$/.test(text) ? (odd[Number(text) % 20] ?? text) : text;
}

/** One character of a query, as RFC 3986 has it. (`fc.webQueryParameters` first lists all that there are.) */
const QUERY_CHARACTER = fc.oneof(
  fc.constantFrom(..."abzABZ059-._~!$&'()*+,;=:@/?".split("")),
  fc.string({ unit: CODE_POINT, minLength: 1, maxLength: 1 }).map((one) => encodeURIComponent(one.toWellFormed())),
);

/** A query of a schema as text. */
function searchesOf(schema: z.ZodObject | undefined): fc.Arbitrary<string> {
  if (schema === undefined) return fc.constantFrom("", "", "?", "?x=1", "?%ff=%", "?a&a");
  return fc.oneof(
    {
      weight: 8,
      arbitrary: objectsOf(schema).map((fields) => {
        const pairs = Object.entries(fields).map(([name, value]) => {
          const text = spelled(typeof value === "string" ? value : JSON.stringify(value));
          return `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(text.toWellFormed())}`;
        });
        return `?${pairs.join("&")}`;
      }),
    },
    { weight: 1, arbitrary: fc.array(QUERY_CHARACTER, { maxLength: 20 }).map((some) => `?${some.join("")}`) },
  );
}

/** A body of a schema as text: JSON of it, JSON of something else, or what is none. */
function bodiesOf(schema: z.ZodObject): fc.Arbitrary<string> {
  const asJson = (value: unknown): string => JSON.stringify(value);
  return fc.oneof(
    { weight: 12, arbitrary: objectsOf(schema).map(asJson) },
    { weight: 1, arbitrary: oddities.map(asJson) },
    { weight: 1, arbitrary: fc.string({ unit: CODE_POINT, maxLength: 100 }).map((text) => text.toWellFormed()) },
    { weight: 1, arbitrary: objectsOf(schema).map((value) => asJson(value).slice(0, -2)) },
  );
}

const tokens = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom("demo-token", "alice-token", "bob-token", "carol-token") },
  { weight: 1, arbitrary: fc.constantFrom(undefined, "", "nobody", "a.b.c", "x".repeat(5000)) },
);
const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 20,
});
const keys = fc.option(fc.oneof(visible, fc.constantFrom("k1", "k2", "a b", "x".repeat(200))), {
  nil: undefined,
  freq: 3,
});
const types = fc.oneof(
  { weight: 12, arbitrary: fc.constant("application/json") },
  { weight: 1, arbitrary: fc.constantFrom("application/json; charset=utf-8", "text/plain", "", "application/jsonx") },
);

/** Requests of all endpoints, made of their schemas: right ones, and such as clients should never send. */
export const generatedRequests: fc.Arbitrary<Generated> = fc.constantFrom(...endpoints).chain((endpoint) =>
  fc
    .record({
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant(endpoint.method) },
        { weight: 1, arbitrary: fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH") },
      ),
      path: fc.oneof(
        { weight: 60, arbitrary: fc.constant(endpoint.path) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(`${endpoint.path}/`, `${endpoint.path}/x`, endpoint.path.toUpperCase()),
        },
      ),
      search: searchesOf(endpoint.query),
      body: endpoint.body === undefined ? fc.constant(undefined) : bodiesOf(endpoint.body),
      token: tokens,
      key: keys,
      type: types,
      id: fc.option(visible, { nil: undefined, freq: 3 }),
    })
    .map(({ method, path, search, body, token, key, type, id }): Generated => {
      const carries = body !== undefined && method !== "GET" && method !== "HEAD";
      return {
        method,
        path,
        search,
        headers: {
          ...(token === undefined ? {} : { "x-user-token": token }),
          ...(key === undefined ? {} : { "idempotency-key": key }),
          ...(id === undefined ? {} : { "x-request-id": id }),
          ...(carries ? { "content-type": type } : {}),
        },
        ...(carries ? { body } : {}),
      };
    }),
);
