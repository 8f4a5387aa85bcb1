import { z } from "zod";
import { example, section } from "./section.ts";

/** How the platform's own tokens are verified, and the names of their claims. */
export const jwtConfig = z
  .strictObject({
    secret: z.string().min(32).optional().meta({ secret: true }),
    jwks_url: example(z.url(), "https://accounts.example.com/.well-known/jwks.json").optional(),
    issuer: example(z.string(), "https://accounts.example.com").optional(),
    audience: example(z.string(), "anp").optional(),
    claims: section({
      user_id: z.string().default("sub"),
      free_daily_quota: z.string().default("free_daily_quota"),
      plan: z.string().default("plan"),
      lang: z.string().default("lang"),
    }),
  })
  .refine(({ secret, jwks_url }) => Boolean(secret) !== Boolean(jwks_url), "needs exactly one of secret and jwks_url");

export type JwtConfig = z.infer<typeof jwtConfig>;
