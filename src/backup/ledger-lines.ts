import { z } from "zod";
import { storedSubscription } from "../accounts/subscriptions.ts";
import { userProfile } from "../accounts/users.ts";
import { entry } from "../ledger/entry.ts";
import { message } from "../assistant/sessions/messages.ts";

/**
 * The lines of a ledger export. First all users, so that an import can tell before it writes anything whether one of
 * them is there already. Then of each user the entries, oldest first, each answer before the entry that charged for it;
 * and at last what makes the user known, so that nobody can use a ledger of which a part is missing.
 */

const digest = z.string();

/** Some of the users: id, creation, and the hash of the first entry. */
export const usersLine = z.strictObject({
  users: z.array(z.tuple([z.string(), z.iso.datetime(), digest.nullable()])),
});

/** An answer that was charged. */
export const answerLine = z.strictObject({ answer: message });

/** The end of a user's ledger. */
export const userLine = z.strictObject({
  user: userProfile,
  subscription: storedSubscription.nullable(),
  entries: z.int().min(0),
  /** Hash of the last entry. */
  head: digest.nullable(),
});

/** Any line: an entry stands as it is stored. */
export const ledgerLine = z.union([entry, answerLine, userLine, usersLine]);

export type UsersLine = z.infer<typeof usersLine>;
export type UserLine = z.infer<typeof userLine>;
