import type { JsonObject } from '../call';
import { FAULT_WORDS } from '../errors/classes';
import { readFault } from '../errors/read-fault';
import type { ProviderFault } from '../response';
import { asObject } from '../values/json';

/** Writes an error for a Gemini client. */
export const encodeError = ({ class: fault, message, status }: ProviderFault): JsonObject => ({
  error: { code: status, message, status: FAULT_WORDS[fault].google, details: [] },
});

/** Reads the error of an event or of a response with status 200; null when it has none. */
export const faultIn = (body: JsonObject): ProviderFault | null =>
  asObject(body['error']) === null ? null : readFault('google', 200, {}, body);
