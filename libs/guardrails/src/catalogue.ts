import type { CheckDefinition } from './check';
import { CHECKS, MODEL_CHECKS } from './checks';

const BY_ID: ReadonlyMap<string, CheckDefinition> = new Map(
  CHECKS.flatMap((check) =>
    [check.id, ...(check.aliases ?? [])].map((id) => [id.toLowerCase(), check] as const),
  ),
);

/** The check of an id or another spelling of it; an id without a plugin is one of `default`. */
export const findCheck = (id: string): CheckDefinition | undefined =>
  BY_ID.get((id.includes('.') ? id : `default.${id}`).toLowerCase());

/** Whether a check asks a model of the workspace, by a config or a provider. */
export const asksModel = (id: string): boolean => MODEL_CHECKS.some((check) => check === findCheck(id));
