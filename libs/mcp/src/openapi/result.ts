import { isObject } from '@gw/kernel';
import { isUtf8 } from 'node:buffer';
import { toolError } from '../denial/denial-response';
import type { Era, JsonObject } from '../protocol';
import { isJsonType } from './operation';

/** The response of the API; redirects are not followed. */
export interface OpenApiResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

const ERROR_BYTES_MAX = 8_192;
const BLOB_BYTES_MAX = 1_048_576;

/**
 * The result of a tool call: JSON as text and structured content (objects only for legacy clients),
 * other text as text, binary as an embedded resource of at most 1 MiB. 3xx, 4xx and 5xx are tool
 * errors with at most 8 KB of the body.
 */
export function openApiResult(
  { status, contentType, body }: OpenApiResponse,
  era: Era,
  uri: string,
): JsonObject {
  const result =
    status >= 200 && status <= 299 ? success(contentType, body, era, uri) : failure(status, body);
  return era === 'modern' ? { resultType: 'complete', ...result } : result;
}

function failure(status: number, body: Buffer): JsonObject {
  if (status >= 300 && status <= 399)
    return toolError(`The API answered with status ${String(status)}; redirects are not followed.`);
  const text = body.subarray(0, ERROR_BYTES_MAX).toString('utf8');
  return toolError(`The API answered with status ${String(status)}.${text === '' ? '' : `\n${text}`}`);
}

function success(contentType: string, body: Buffer, era: Era, uri: string): JsonObject {
  if (!isUtf8(body)) return binary(contentType, body, uri);
  const text = body.toString('utf8');
  const content = [{ type: 'text', text }];
  const parsed = isJsonType(contentType) ? parsedJson(text) : undefined;
  const isStructured = parsed !== undefined && (era === 'modern' || isObject(parsed));
  return { content, ...(isStructured && { structuredContent: parsed }) };
}

/** The value of a JSON text; undefined for another text. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function binary(contentType: string, body: Buffer, uri: string): JsonObject {
  if (body.length > BLOB_BYTES_MAX)
    return toolError(
      `The API sent ${String(body.length)} bytes of binary data, more than a result may have.`,
    );
  const mimeType = /^[\w.+-]{1,64}\/[\w.+-]{1,64}/.exec(contentType)?.[0] ?? 'application/octet-stream';
  return { content: [{ type: 'resource', resource: { uri, mimeType, blob: body.toString('base64') } }] };
}
