import { HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeFault, type Log } from '../logger';
import { toPublicError } from './error-mapping';

/** Sends every error in our error body, and logs internal errors. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(protected readonly log: Log) {}

  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const error = withAllowedMethods(this.translate(thrown), request);
    await this.beforeResponse?.(error, request);
    await sendError(this.log, error, request, http.getResponse<FastifyReply>());
  }

  /** Converts app-specific errors first: the admin API, for example, recognises a duplicate row. */
  protected translate(thrown: unknown): GatewayError {
    return toPublicError(thrown);
  }

  /** Called before the response is sent; must not throw. */
  protected beforeResponse?(error: GatewayError, request: FastifyRequest): Promise<void>;
}

/** Turns 404 into 405 with `Allow` if the path exists for other methods. */
function withAllowedMethods(error: GatewayError, request: FastifyRequest): GatewayError {
  if (error.type !== 'route_not_found') return error;
  const allowed = request.server.routeTable?.methodsOf(request.url) ?? [];
  return allowed.length === 0
    ? error
    : new GatewayError('method_not_allowed', { headers: { allow: allowed.join(', ') } });
}

/** Converts an error to a response. No other function does. */
export async function sendError(
  log: Log,
  error: GatewayError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (error.status >= 500) {
    log.error(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url,
        ...describeFault(error),
      },
      'request failed',
    );
  }
  if (reply.sent) return;
  for (const [name, value] of Object.entries(error.options.headers ?? {})) void reply.header(name, value);
  await reply
    .status(error.status)
    .header(HEADER.requestId, request.id)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .send(error.toBody(request.id));
}
