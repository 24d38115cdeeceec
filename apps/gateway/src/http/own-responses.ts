import { HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody } from '../reply/error-body';

/** What the gateway says of itself, as JSON. Throws `method_not_allowed` for anything but a question. */
export function responseOwn(
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

/** A request that never became a request: nothing of it was read, so the connection ends with the answer. */
export function refuse(id: string, req: IncomingMessage, res: ServerResponse, error: GatewayError): void {
  const body = errorBody(error, 'openai', id);
  const headers = ['content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)];
  headers.push(HEADER.requestId, id, 'x-request-id', id);
  for (const [name, value] of Object.entries(error.options.headers ?? {})) headers.push(name, value);
  if (!req.complete) headers.push('connection', 'close');
  res.writeHead(error.status, headers);
  res.end(req.method === 'HEAD' ? undefined : body);
}
