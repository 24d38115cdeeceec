import { familyNamed, routeFamily } from '@gw/contracts';
import { operationTypeOf } from '@gw/guardrails';
import { familyOfPath } from '../routes/plain-path';
import type { Route } from '../routes/route-table';

/**
 * Returns the endpoint types that policy conditions can match. A passthrough request also has the
 * type of its path. Empty: no condition can match.
 */
export function endpointTypesOf({ name, kind, upstreamPath }: Route): readonly string[] {
  const own = routeFamily(kind).isUnnamedByPolicies ? null : operationTypeOf(name);
  const byPath = kind === 'passthrough' ? pathTypeOf(familyOfPath(upstreamPath)) : null;
  return [own, byPath].filter((type) => type !== null);
}

/** Returns the type of a POST to the end of a family's path; null: no condition can match. */
function pathTypeOf(name: string): string | null {
  const family = familyNamed(name);
  if (family === undefined || family.isUnnamedByPolicies) return null;
  return operationTypeOf(family.pathOperation ?? name);
}
