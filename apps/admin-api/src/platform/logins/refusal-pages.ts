import { GatewayError } from '@gw/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { messagePage, pageHeaders, wantsPage } from '../auth/account-pages';

/**
 * Runs `run` for a browser that returns from an identity provider. On failure, a browser gets a
 * page and a client gets JSON.
 */
export async function orRefusalPage<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  run: () => Promise<T>,
  title = 'You are not logged in',
): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    const isShown = error instanceof GatewayError && error.status < 500;
    if (!isShown || !wantsPage(request)) throw error;
    const page = messagePage(title, error.message);
    await reply.status(error.status).headers(pageHeaders()).send(page);
    return undefined;
  }
}
