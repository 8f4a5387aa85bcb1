import type { Service } from "../../../src/service/service.ts";
import type { Answer, Asked } from "./history.ts";

/** Codes of answers that leave open whether the request took effect. */
export const OPEN_CODES: readonly number[];

/** Asks a service in this process, as a client asks a server. */
export function askService(service: Pick<Service, "run" | "adjust">, asked: Asked): Promise<Answer>;
