import type { CompiledTarget } from '@gw/config-schema';
import { GatewayError } from '@gw/kernel';
import { demandOf, largerDemand, NO_DEMAND, type JsonObject, type OutputDemand } from '@gw/providers';
import { parseJsonObject } from '../bodies/json-body';
import { isTooLarge } from '../bodies/read-whole';
import { ruledBody } from '../attempt/request/request-body';
import type { RequestContext } from '../core/request-context';
import { otherModelsOf } from './other-models';

/** What says where a request is sent, and as what. */
export interface Asking {
  readonly target: CompiledTarget;
}

/** How much output a request asks for, and of whom. */
interface RequestedAtMost extends OutputDemand {
  /** Models that may answer in the place of the one that is named. */
  readonly others: readonly string[];
}

/** How much output a request asks a target for: what its body says, or what the target's parameters set if that is more. */
export function requestedOutput({ scan }: RequestContext, target: CompiledTarget): OutputDemand {
  const demand = scan?.output ?? NO_DEMAND;
  return target.hasParamRules && scan?.isForm !== true ? largerDemand(demand, demandOfRules(target)) : demand;
}

/**
 * The same by the body as it is sent to the target, with the models that it names. Throws `body_too_large` for a body that is too large to
 * be read.
 */
export function requestedAtMost(context: RequestContext, target: CompiledTarget): RequestedAtMost {
  const { scan, spooled } = context;
  const isRead = scan !== null && scan.isForm !== true && spooled === null;
  const read = isRead ? bodyAt(context, target) : null;
  const demand = demandAt(context, target, read);
  return { ...demand, others: read === null ? [] : otherModelsOf(read) };
}

function demandAt({ scan }: RequestContext, target: CompiledTarget, read: JsonObject | null): OutputDemand {
  // The bytes say both of two members of one name.
  if (read === null || !target.hasParamRules) return scan?.output ?? NO_DEMAND;
  return demandOf(read);
}

/** Null: it cannot be read, and is refused later by what must read it. */
function bodyAt(context: RequestContext, target: CompiledTarget): JsonObject | null {
  try {
    const body = context.json(parseJsonObject);
    return target.hasParamRules ? ruledBody(body, target) : body;
  } catch (error) {
    if (isTooLarge(error)) throw error;
    return null;
  }
}

/** `unread`: a member that says how much output is requested, and cannot be read; null: there is none. Throws `body_invalid`. */
export function refuseUnbounded(unread: string | null): void {
  if (unread === null) return;
  throw new GatewayError('body_invalid', {
    param: unread,
    message: `A strict limit applies, and how much output ${unread} asks for is unknown; send it as a whole number of at least 0 in a body that fits into memory, or leave it out.`,
  });
}

const known = new WeakMap<CompiledTarget, OutputDemand>();

function demandOfRules(target: CompiledTarget): OutputDemand {
  let demand = known.get(target);
  if (demand === undefined) {
    const { defaultParams, overrideParams } = target;
    demand = largerDemand(demandOf(overrideParams ?? {}), demandOf(defaultParams ?? {}));
    known.set(target, demand);
  }
  return demand;
}
