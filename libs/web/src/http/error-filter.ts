import { HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeFault, type Log } from '../logger';
import { toPublicError } from './error-mapping';

/** Answers every error in our one body, and logs those that are our fault. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(protected readonly log: Log) {}

  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const error = withAllowedMethods(this.translate(thrown), request);
    await this.beforeAnswer?.(error, request);
    await sendError(this.log, error, request, http.getResponse<FastifyReply>());
  }

  /** Apps may know more: the admin API tells a duplicate row from a fault. */
  protected translate(thrown: unknown): GatewayError {
    return toPublicError(thrown);
  }

  /** Runs before the answer leaves; must not throw. */
  protected beforeAnswer?(error: GatewayError, request: FastifyRequest): Promise<void>;
}

/** A path that is there but takes other methods is 405 with `Allow`. */
function withAllowedMethods(error: GatewayError, request: FastifyRequest): GatewayError {
  if (error.type !== 'route_not_found') return error;
  const allowed = request.server.routeTable?.methodsOf(request.url) ?? [];
  return allowed.length === 0
    ? error
    : new GatewayError('method_not_allowed', { headers: { allow: allowed.join(', ') } });
}

/** The one place where an error becomes an answer. */
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
