import { GatewayError } from '@gw/kernel';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { createHash, timingSafeEqual } from 'node:crypto';

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Answers 401 to internal routes without the service token, before a byte of the body is read. */
export function requireServiceToken(adapter: FastifyAdapter, serviceToken: string): void {
  const expected = digestOf(`Bearer ${serviceToken}`);
  adapter.getInstance().addHook('onRequest', (request, _reply, done) => {
    const isOpen = request.routeOptions.url === '/health';
    if (isOpen || timingSafeEqual(digestOf(request.headers.authorization ?? ''), expected)) done();
    else done(new GatewayError('unauthenticated'));
  });
}
