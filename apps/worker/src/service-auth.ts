import { GatewayError } from '@gw/kernel';
import { serviceTokenCheck } from '@gw/web';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

/** Health paths that orchestrators call without a credential; their responses have no details. */
const OPEN = new Set(['/health', '/health/live', '/health/ready']);

/** Responds 401 to internal routes without the service token, before the body is read. */
export function requireServiceToken(adapter: FastifyAdapter, serviceToken: string): void {
  const isOurs = serviceTokenCheck(serviceToken);
  adapter.getInstance().addHook('onRequest', (request, _reply, done) => {
    const isOpen = OPEN.has(request.routeOptions.url ?? '');
    if (isOpen || isOurs(request.headers.authorization)) done();
    else done(new GatewayError('unauthenticated'));
  });
}
