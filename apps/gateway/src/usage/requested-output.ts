import type { CompiledTarget } from '@gw/routing';
import { GatewayError } from '@gw/kernel';
import { demandOf, largerDemand, NO_DEMAND, type JsonObject, type OutputDemand } from '@gw/providers';
import { parseJsonObject } from '../bodies/json-body';
import { isTooLarge } from '../bodies/read-whole';
import { ruledBody } from '../attempt/request/request-body';
import type { RequestContext } from '../core/request-context';
import { otherModelsOf } from './other-models';

/** The maximum output that a request allows, and the models that may produce it. */
interface RequestedAtMost extends OutputDemand {
  /** Models that may respond instead of the named one. */
  readonly others: readonly string[];
}

/**
 * Returns the output that a request wants of a target: the larger of what its body and the target's
 * parameter rules request.
 */
export function requestedOutput({ scan }: RequestContext, target: CompiledTarget): OutputDemand {
  const demand = scan?.output ?? NO_DEMAND;
  return target.hasParamRules && scan?.isForm !== true ? largerDemand(demand, demandOfRules(target)) : demand;
}

/**
 * Like `requestedOutput`, for the body that the target receives, including its other models. Throws
 * `body_too_large` if the body is too large to be parsed.
 */
export function requestedAtMost(context: RequestContext, target: CompiledTarget): RequestedAtMost {
  const { scan, spooled } = context;
  const isRead = scan !== null && scan.isForm !== true && spooled === null;
  const read = isRead ? bodyAt(context, target) : null;
  const demand = demandAt(context, target, read);
  return { ...demand, others: read === null ? [] : otherModelsOf(read) };
}

/**
 * Like `requestedAtMost`, for a request that was sent: if its body is too large to be parsed, the
 * scan of its bytes counts, without other models. Never throws, because an error while a request is
 * settled would stop the process.
 */
export function requestedWhenSent(context: RequestContext, target: CompiledTarget): RequestedAtMost {
  try {
    return requestedAtMost(context, target);
  } catch {
    return { ...requestedOutput(context, target), others: [] };
  }
}

function demandAt({ scan }: RequestContext, target: CompiledTarget, read: JsonObject | null): OutputDemand {
  // The scan of the bytes sees both of two duplicate members.
  if (read === null || !target.hasParamRules) return scan?.output ?? NO_DEMAND;
  return demandOf(read);
}

/**
 * Returns the body after the target's parameter rules; null when it cannot be parsed, which the
 * stage that must parse it reports.
 */
function bodyAt(context: RequestContext, target: CompiledTarget): JsonObject | null {
  try {
    const body = context.json(parseJsonObject);
    return target.hasParamRules ? ruledBody(body, target) : body;
  } catch (error) {
    if (isTooLarge(error)) throw error;
    return null;
  }
}

/**
 * Throws `body_invalid` if there is a member for the requested output that cannot be read.
 * `unread`: its name; null: none.
 */
export function refuseUnbounded(unread: string | null): void {
  if (unread === null) return;
  throw new GatewayError('body_invalid', {
    param: unread,
    message: `A strict limit applies, and the output that ${unread} requests is unknown; send it as a whole number of at least 0 in a body that fits into memory, or leave it out.`,
  });
}

const demandsOfRules = new WeakMap<CompiledTarget, OutputDemand>();

function demandOfRules(target: CompiledTarget): OutputDemand {
  let demand = demandsOfRules.get(target);
  if (demand === undefined) {
    const { defaultParams, overrideParams } = target;
    demand = largerDemand(demandOf(overrideParams ?? {}), demandOf(defaultParams ?? {}));
    demandsOfRules.set(target, demand);
  }
  return demand;
}
