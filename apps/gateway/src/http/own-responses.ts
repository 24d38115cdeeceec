import { HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody } from '../reply/error-body';
import { dialectOf } from './paths';

/**
 * Sends a JSON response of the gateway itself. Throws `method_not_allowed` unless the method is GET
 * or HEAD.
 */
export function sendOwn(
  id: string,
  { method }: IncomingMessage,
  res: ServerResponse,
  body: Buffer,
  status = 200,
): void {
  if (method !== 'GET' && method !== 'HEAD')
    throw new GatewayError('method_not_allowed', { headers: { allow: 'GET, HEAD' } });
  res.writeHead(status, [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(body.length),
    'cache-control',
    'no-store',
    HEADER.requestId,
    id,
  ]);
  res.end(method === 'HEAD' ? undefined : body);
}

/**
 * Sends an error for a request that did not enter the pipeline. If nothing reads its body, the
 * connection closes with the response.
 */
export function refuse(id: string, req: IncomingMessage, res: ServerResponse, error: GatewayError): void {
  const body = errorBody(error, dialectOf(req.url ?? ''), id);
  const headers = ['content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)];
  headers.push(HEADER.requestId, id, 'x-request-id', id);
  for (const [name, value] of Object.entries(error.options.headers ?? {})) headers.push(name, value);
  if (!req.complete && req.readableFlowing !== true) headers.push('connection', 'close');
  res.writeHead(error.status, headers);
  res.end(req.method === 'HEAD' ? undefined : body);
}
