import type { RequestContext } from '../core/request-context';

/**
 * Replaces the body that the log stores, because the original contains secrets. Call it once the
 * original was read.
 */
export function replaceLoggedBody(context: RequestContext, body: Buffer): void {
  context.body = body;
}
