import { GatewayError } from '@gw/kernel';
import { serviceTokenCheck } from '@gw/web';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

/** What orchestrators ask without a credential; it tells words alone. */
const OPEN = new Set(['/health', '/health/live', '/health/ready']);

/** Answers 401 to internal routes without the service token, before a byte of the body is read. */
export function requireServiceToken(adapter: FastifyAdapter, serviceToken: string): void {
  const isOurs = serviceTokenCheck(serviceToken);
  adapter.getInstance().addHook('onRequest', (request, _reply, done) => {
    const isOpen = OPEN.has(request.routeOptions.url ?? '');
    if (isOpen || isOurs(request.headers.authorization)) done();
    else done(new GatewayError('unauthenticated'));
  });
}
