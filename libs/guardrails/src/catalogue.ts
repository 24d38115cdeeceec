import type { CheckDefinition } from './check';
import { CHECKS, MODEL_CHECKS } from './checks';

const BY_ID: ReadonlyMap<string, CheckDefinition> = new Map(
  CHECKS.flatMap((check) =>
    [check.id, ...(check.aliases ?? [])].map((id) => [id.toLowerCase(), check] as const),
  ),
);

/** Returns the check of an id or alias. An id without a plugin belongs to `default`. */
export const findCheck = (id: string): CheckDefinition | undefined =>
  BY_ID.get((id.includes('.') ? id : `default.${id}`).toLowerCase());

/** Returns whether a check calls a model of the workspace, by a config or a provider. */
export const asksModel = (id: string): boolean => MODEL_CHECKS.some((check) => check === findCheck(id));
