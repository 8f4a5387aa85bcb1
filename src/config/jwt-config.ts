import { z } from "zod";
import { example, section } from "./config-fields.ts";

/** How the platform's own tokens are verified, and the names of their claims. */
export const jwtConfig = z
  .strictObject({
    secret: z
      .string()
      .min(32)
      .meta({ secret: true, description: "Shared secret (HS256), at least 32 characters" })
      .optional(),
    jwks_url: example(z.url(), "https://accounts.example.com/.well-known/jwks.json")
      .optional()
      .describe("URL of the platform's JWKS (RS256, ES256, EdDSA, …), instead of a secret"),
    issuer: example(z.string(), "https://accounts.example.com").optional().describe("Required issuer"),
    audience: example(z.string(), "anp").optional().describe("Required audience"),
    claims: section({
      user_id: z.string().default("sub").describe("Claim with the user's id"),
      free_daily_quota: z.string().default("free_daily_quota").describe("Claim with the user's free uses per day"),
      plan: z.string().default("plan").describe("Claim with the user's plan"),
      lang: z.string().default("lang").describe("Claim with the user's language, zh or en"),
    }).describe("Names of the claims"),
  })
  .refine((value) => (value.secret === undefined) !== (value.jwks_url === undefined), {
    message: "needs exactly one of secret and jwks_url",
  });

export type JwtConfig = z.infer<typeof jwtConfig>;
