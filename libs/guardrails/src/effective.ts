import type { CompiledGuardrail } from './compile';

/** Sources of the guardrails of one direction. */
export interface GuardrailSources {
  /** Defaults of the organisation. */
  readonly organisation: readonly CompiledGuardrail[];
  /** Whether the workspace is exempt from the organisation's defaults in this direction. */
  readonly isExcluded: boolean;
  /** Defaults of the workspace. */
  readonly workspace: readonly CompiledGuardrail[];
  /** Guardrails of the config's target. */
  readonly config: readonly CompiledGuardrail[];
}

/**
 * Returns all guardrails of one direction in order: the organisation's, the workspace's, the
 * config's.
 * A saved guardrail that is named several times runs once, at its first place. Inline guardrails
 * all run, because their names are not unique. Call it once per version of its sources, not per
 * request.
 */
export function effectiveGuardrails(sources: GuardrailSources): readonly CompiledGuardrail[] {
  const { organisation, isExcluded, workspace, config } = sources;
  const saved = new Set<string>();
  return [...(isExcluded ? [] : organisation), ...workspace, ...config].filter((guardrail) => {
    if (!guardrail.isSaved) return true;
    if (saved.has(guardrail.id)) return false;
    saved.add(guardrail.id);
    return true;
  });
}
