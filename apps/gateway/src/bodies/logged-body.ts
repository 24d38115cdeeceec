import type { RequestContext } from '../core/request-context';

/** Replaces the body that the log keeps, once it was read: what it was must not be stored. */
export function logInstead(context: RequestContext, body: Buffer): void {
  context.body = body;
}
