import { familyNamed, routeFamily } from '@gw/contracts';
import { operationTypeOf } from '@gw/guardrails';
import { familyOfPath } from '../routes/plain-path';
import type { Route } from '../routes/route-table';

/** A passthrough request is also of the type whose path it has. Empty: no condition of a policy can name it. */
export function endpointTypesOf({ name, kind, upstreamPath }: Route): readonly string[] {
  const own = routeFamily(kind).isUnnamedByPolicies ? null : operationTypeOf(name);
  const byPath = kind === 'passthrough' ? pathTypeOf(familyOfPath(upstreamPath)) : null;
  return [own, byPath].filter((type) => type !== null);
}

/** What a POST to the end of a family's path is; null: no condition can name it. */
function pathTypeOf(name: string): string | null {
  const family = familyNamed(name);
  if (family === undefined || family.isUnnamedByPolicies) return null;
  return operationTypeOf(family.pathOperation ?? name);
}
