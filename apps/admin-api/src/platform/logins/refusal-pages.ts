import { GatewayError } from '@gw/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { messagePage, pageHeaders, wantsPage } from '../auth/account-pages';

/** Does what a browser brings from an identity provider. A browser gets a refusal as a page, a client as JSON. */
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
