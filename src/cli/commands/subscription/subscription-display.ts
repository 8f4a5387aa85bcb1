import type { OperationData } from "../../../contract/endpoints.ts";
import { showLocal } from "../../framework/time-format.ts";

type Subscription = OperationData<"getSubscription">;

const showInstant = (iso: string | null): string => (iso === null ? "-" : showLocal(iso));

/** Features as a terminal shows them: `memory on, advanced research off`. */
export function showFeatures(features: Subscription["features"]): string {
  return Object.entries(features)
    .map(([name, on]) => `${name.replaceAll("_", " ")} ${on ? "on" : "off"}`)
    .join(", ");
}

/** How a terminal shows the fields of a subscription. */
export const SUBSCRIPTION_DISPLAY = {
  started_at: showInstant,
  expires_at: showInstant,
  features: showFeatures,
  is_active: (active: boolean): string => (active ? "yes" : "no"),
} as const;
