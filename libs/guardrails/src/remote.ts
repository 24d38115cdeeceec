import { FRAMING_HEADERS, HOP_BY_HOP_HEADERS, isHeaderName, isHeaderValue } from '@gw/kernel';
import { CheckError, type CheckContext, type ParameterReport } from './check';
import { GUARDRAIL_LIMITS } from './bounds';
import type { GuardrailResponse } from './port';

export const URL_PARAMETER = { type: 'string', minLength: 8, maxLength: 2_048 };

export const HEADERS_PARAMETER = {
  type: ['object', 'string'],
  maxProperties: 50,
  maxLength: 16_384,
  additionalProperties: { type: 'string', maxLength: 8_192 },
  description: 'Headers of the call, as an object or as JSON text.',
};

/** Reports an invalid URL; the address policy checks it as well. */
export function checkUrl(url: string, key: string, report: ParameterReport): void {
  const fault = urlFault(url);
  if (fault) report([key], 'address', fault, '(hidden)');
}

function urlFault(text: string): string | null {
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  return text.includes('#') ? 'must not contain a fragment' : null;
}

/**
 * Returns the headers that an administrator configured, by lower-case name. Failures are reported
 * without the value, which may be a secret.
 */
export function headersOf(
  written: Readonly<Record<string, string>> | string | undefined,
  report: ParameterReport,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const given = typeof written === 'string' ? parsedHeaders(written, report) : (written ?? {});
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!isHeaderName(lower)) {
      report(['headers', name], 'header_name', 'is not a valid header name', '(hidden)');
    } else if (HOP_BY_HOP_HEADERS.has(lower) || FRAMING_HEADERS.has(lower)) {
      report(['headers', name], 'forbidden_header', 'is a header of one connection', '(hidden)');
    } else if (typeof value !== 'string' || !isHeaderValue(value)) {
      report(['headers', name], 'header_value', 'is not a valid header value', '(hidden)');
    } else headers[lower] = value;
  }
  return headers;
}

function parsedHeaders(text: string, report: ParameterReport): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, string>;
  } catch {
    // Reported below, like values other than objects.
  }
  report(['headers'], 'json', 'must be a JSON object of strings', '(hidden)');
  return {};
}

/**
 * Posts JSON and parses the JSON response. Anything but a 2xx with JSON means that the check could
 * not decide; messages contain no URL.
 */
export async function postJson(
  context: CheckContext,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<unknown> {
  const response = await context.port.call({
    url,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
    body,
    signal: context.signal,
    responseBytesMax: GUARDRAIL_LIMITS.responseBytesMax,
  });
  return jsonOf(response);
}

export function jsonOf({ status, body }: GuardrailResponse): unknown {
  if (status < 200 || status > 299)
    throw new CheckError(`The service responded with status ${String(status)}.`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    throw new CheckError('The service did not respond with JSON.');
  }
}
