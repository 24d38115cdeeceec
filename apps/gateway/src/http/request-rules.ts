import type { IncomingMessage } from 'node:http';
import { HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { hasSeveralHosts } from '@gw/web';

/** Maximum length of one header value in bytes; an inline config may be longer. */
const HEADER_BYTES_MAX = 16_384;
const TARGET_BYTES_MAX = 16_384;
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+;=%-]*)(?::\d{0,5})?$/i;

/**
 * The methods of both planes. Others are refused: TRACE, for example, would show the caller the
 * injected credential.
 */
const METHODS: ReadonlySet<string | undefined> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);
export const ALLOWED_METHODS = [...METHODS].join(', ');

/**
 * Refuses requests that the HTTP parser accepts but RFC 9112 or this gateway does not. Throws
 * `request_malformed`, `method_not_allowed` or `headers_too_large`.
 */
export function checkRequest(req: IncomingMessage): void {
  if (!METHODS.has(req.method)) throw methodRefused();
  if (req.httpVersionMajor !== 1) throw malformed('the version must be HTTP/1.0 or HTTP/1.1');
  if ((req.url ?? '').length > TARGET_BYTES_MAX) {
    throw new GatewayError('headers_too_large', {
      message: 'The request target is longer than this gateway accepts.',
    });
  }
  const { host } = req.headers;
  if (host === undefined ? req.httpVersionMinor === 1 : !HOST.test(host))
    throw malformed('the Host header is not valid');
  const { rawHeaders } = req;
  if (hasSeveralHosts(rawHeaders)) throw malformed('it must have one Host header');
  for (let i = 1; i < rawHeaders.length; i += 2) {
    if ((rawHeaders[i] as string).length <= HEADER_BYTES_MAX) continue;
    if ((rawHeaders[i - 1] as string).toLowerCase() !== HEADER.config)
      throw new GatewayError('headers_too_large');
  }
}

const methodRefused = (): GatewayError =>
  new GatewayError('method_not_allowed', {
    message: `The gateway accepts only the methods ${ALLOWED_METHODS}.`,
    headers: { allow: ALLOWED_METHODS },
  });

const malformed = (rule: string): GatewayError =>
  new GatewayError('request_malformed', { message: `The request is not well-formed HTTP: ${rule}.` });

/** Returns path and query of a request target. The host of an absolute-form target is ignored. */
export function targetOf(url: string): { readonly path: string; readonly query: string } {
  const form = url.startsWith('/') ? url : withoutOrigin(url);
  const mark = form.indexOf('?');
  return mark === -1 ? { path: form, query: '' } : { path: form.slice(0, mark), query: form.slice(mark) };
}

function withoutOrigin(url: string): string {
  const match = /^https?:\/\/[^/?#]*(.*)$/is.exec(url);
  return match ? (match[1] === '' ? '/' : (match[1] as string)) : url;
}
