import { z } from "zod";
import { storedSubscription } from "../accounts/subscriptions.ts";
import { userProfile } from "../accounts/users.ts";
import { entry } from "../ledger/entry.ts";
import { message } from "../assistant/sessions/messages.ts";

/**
 * The lines of a ledger export. All users come first, so that an import finds existing ones before it writes anything.
 * Then each user's entries, oldest first, each answer before the entry that charged for it. The profile comes last, so
 * that an incomplete ledger cannot be used.
 */

const digest = z.string();

/** Some users: id, time of creation, and hash of the first entry. */
export const usersLine = z.strictObject({
  users: z.array(z.tuple([z.string(), z.iso.datetime(), digest.nullable()])),
});

/** A charged answer. */
export const answerLine = z.strictObject({ answer: message });

/** The end of a user's ledger. */
export const userLine = z.strictObject({
  user: userProfile,
  subscription: storedSubscription.nullable(),
  entries: z.int().min(0),
  /** Hash of the last entry. */
  head: digest.nullable(),
});

/** Any line: an entry is serialized as it is stored. */
export const ledgerLine = z.union([entry, answerLine, userLine, usersLine]);

export type UsersLine = z.infer<typeof usersLine>;
export type UserLine = z.infer<typeof userLine>;
