import type { CompiledGuardrail } from './compile';

/** Where the guardrails of one direction come from. */
export interface GuardrailSources {
  /** Defaults of the organisation. */
  readonly organisation: readonly CompiledGuardrail[];
  /** The workspace is exempt from the organisation's defaults in this direction. */
  readonly isExcluded: boolean;
  /** Defaults of the workspace. */
  readonly workspace: readonly CompiledGuardrail[];
  /** Of the config's target. */
  readonly config: readonly CompiledGuardrail[];
}

/**
 * All guardrails that judge in one direction, in the order in which they act: the organisation's, the workspace's, the config's.
 * A saved one that several name acts once, where it is named first; those written out have no name to share. To be made once for
 * each version of its sources, not for each request.
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
