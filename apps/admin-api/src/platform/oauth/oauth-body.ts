import { isObject } from '@gw/kernel';
import type { IncomingMessage } from 'node:http';

/** Refusal of a request before the protocol engine receives it, in the form of RFC 6749. */
export class OauthFault extends Error {
  override readonly name = 'OauthFault';
  constructor(
    readonly status: number,
    readonly error: string,
    readonly description: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(description);
  }
}

export const invalidRequest = (description: string): OauthFault =>
  new OauthFault(400, 'invalid_request', description);

/** Reads a complete body. Throws `OauthFault` when it is longer than `bytesMax`. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax)
      throw new OauthFault(413, 'invalid_request', `the body is larger than ${String(bytesMax)} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Returns the parameters of a query or form by name. Throws `OauthFault` for a repeated parameter.
 */
export function parametersOf(text: string): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in parameters) {
      const isResource = name === 'resource';
      throw isResource
        ? new OauthFault(400, 'invalid_target', 'a token is for one resource; name it once')
        : invalidRequest(`${name.slice(0, 64)} is given twice`);
    }
    parameters[name] = value;
  }
  return parameters;
}

/** Returns the parameters of a body that is a form or a JSON object of strings. */
export function formOf(text: string, contentType: string): Record<string, string> {
  if (!/^application\/json\b/i.test(contentType)) return parametersOf(text);
  const body = jsonOf(text);
  if (!isObject(body)) throw invalidRequest('the body must be a JSON object');
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'string') throw invalidRequest(`${name.slice(0, 64)} must be one text`);
    parameters[name] = value;
  }
  return parameters;
}

/** Returns the parsed JSON. Throws `OauthFault` for text that is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidRequest('the body is not JSON');
  }
}
