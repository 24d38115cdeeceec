import { isUtf8 } from 'node:buffer';
import { GatewayError } from '@gw/kernel';
import { parseJsonObject } from '../bodies/json-body';
import { Violations } from './checks/violations';
import type { RequestContext, Stage } from '../core/request-context';

/**
 * Refuses a request that violates the bounds of its route, before a provider is called, with all
 * violations in one error. Only routes with bounds parse the body. Nothing is changed, and unknown
 * fields pass.
 */
export class ValidateStage implements Stage {
  run(context: RequestContext): void {
    if (context.prompt !== null && context.prompt.rendered !== null) return;
    const { checkBody, checkQuery } = context.route;
    const hasBody = checkPresence(context);
    if (checkBody === null && checkQuery === null) return;
    const found = new Violations();
    if (checkBody && hasBody) checkBody(context.json(parseJsonObject), '', found);
    checkQuery?.(context.query, found);
    found.raise();
  }
}

/**
 * Returns true if there is a JSON object to check. Throws `body_invalid` if the route requires one
 * and the body is something else.
 */
function checkPresence({ route, body, scan }: RequestContext): boolean {
  if (route.body === 'any') return false;
  if (body.length === 0 && route.body === 'json-or-none') return false;
  if (scan === null || scan.isForm || !isUtf8(body))
    throw new GatewayError('body_invalid', { message: 'The body must be a JSON object.' });
  return true;
}
