import { exactNumbers, GatewayError, isObject, jsonSize, type ExactNumbers, type JsonSize } from '@gw/kernel';
import { isUtf8 } from 'node:buffer';
import { toolError } from '../denial/denial-response';
import { MCP_LIMITS, type Era, type JsonObject } from '../protocol';
import { isJsonType } from './media-type';

/** The response of the HTTP service. Redirects are not followed. */
export interface OpenApiResponse {
  readonly status: number;
  readonly contentType: string;
  /** Decoded body; for an error, the first 8 KB are sufficient. */
  readonly body: Buffer;
  /** Seconds of `Retry-After`; null without the header. */
  readonly retryAfter?: number | null;
}

export interface OpenApiResultOptions {
  readonly era: Era;
  /** URI of the resource that holds a binary response. */
  readonly uri: string;
  /**
   * Whether the tool's output schema requires an object; a response without content then becomes an
   * empty object.
   */
  readonly promisesObject: boolean;
}

export interface OpenApiResult {
  readonly result: JsonObject;
  /**
   * Numbers of the structured content that `JSON.stringify` would change; null if there are none.
   */
  readonly numbers: ExactNumbers | null;
}

export const ERROR_BYTES_MAX = 8_192;
const BLOB_BYTES_MAX = 1_048_576;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Returns the result of a tool call: JSON as text and structured content (only objects for legacy
 * clients), other text as text, both without a byte order mark, binary data as an embedded resource
 * of at most 1 MiB. Statuses 3xx, 4xx and 5xx become tool errors with at most 8 KB of the body. JSON
 * beyond the bounds of messages becomes text only.
 */
export function openApiResult(response: OpenApiResponse, options: OpenApiResultOptions): OpenApiResult {
  const { result, numbers } = isSuccess(response)
    ? success(response, options)
    : { result: failure(response), numbers: null };
  return { result: options.era === 'modern' ? { resultType: 'complete', ...result } : result, numbers };
}

export const isSuccess = ({ status }: Pick<OpenApiResponse, 'status'>): boolean =>
  status >= 200 && status <= 299;

function failure({ status, body, retryAfter }: OpenApiResponse): JsonObject {
  if (status >= 300 && status <= 399)
    return toolError(`The API answered with status ${String(status)}; redirects are not followed.`);
  const retry = retryAfter == null ? '' : ` Retry after ${String(retryAfter)} s.`;
  const text = body.subarray(0, ERROR_BYTES_MAX).toString('utf8');
  return toolError(
    `The API answered with status ${String(status)}.${retry}${text === '' ? '' : `\n${text}`}`,
  );
}

function success(
  { status, contentType, body }: OpenApiResponse,
  { era, uri, promisesObject }: OpenApiResultOptions,
): OpenApiResult {
  if (body.length === 0) {
    const text = `The API answered with status ${String(status)} and no content.`;
    return plain({ content: [{ type: 'text', text }], ...(promisesObject && { structuredContent: {} }) });
  }
  if (!isUtf8(body)) return plain(binary(contentType, body, uri));
  const plainBody = body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
  const text = plainBody.toString('utf8');
  const content = [{ type: 'text', text }];
  const parsed = isJsonType(contentType) ? parsedJson(text, plainBody) : null;
  if (parsed === null || (era === 'legacy' && !isObject(parsed.value))) return plain({ content });
  return { result: { content, structuredContent: parsed.value }, numbers: parsed.numbers };
}

const plain = (result: JsonObject): OpenApiResult => ({ result, numbers: null });

const isTooLarge = ({ depth, membersOfOne }: JsonSize): boolean =>
  depth > MCP_LIMITS.depthMax || membersOfOne > MCP_LIMITS.membersMax;

/**
 * Returns the value of a JSON text; null for other text, and for JSON that clients may not be able
 * to read.
 */
function parsedJson(
  text: string,
  body: Buffer,
): { readonly value: unknown; readonly numbers: ExactNumbers | null } | null {
  if (isTooLarge(jsonSize(body, isTooLarge))) return null;
  try {
    const value = JSON.parse(text) as unknown;
    const numbers = exactNumbers(body);
    return numbers?.has(Infinity) === true || numbers?.has(-Infinity) === true ? null : { value, numbers };
  } catch (error) {
    // The text is not JSON, or two of its numbers map to the same double.
    if (error instanceof SyntaxError || error instanceof GatewayError) return null;
    throw error;
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
