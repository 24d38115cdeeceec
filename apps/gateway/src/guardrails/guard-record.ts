import type { GuardrailRecord } from '@gw/contracts';
import type { GuardrailResult, GuardrailStage } from '@gw/guardrails';

/**
 * Converts a verdict to the form that the log stores, without the details of check results, which
 * only the caller receives.
 */
export const guardRecord = (stage: GuardrailStage, result: GuardrailResult): GuardrailRecord => ({
  stage,
  id: result.id,
  versionId: result.guardrail_version_id,
  verdict: result.verdict,
  deny: result.deny,
  async: result.async,
  monitor: result.monitor === true,
  transformed: result.transformed,
  durationMs: result.execution_time,
  checks: result.checks.map((check) => ({
    id: check.id,
    verdict: check.verdict,
    transformed: check.transformed,
    durationMs: check.execution_time,
    error: check.error?.message ?? null,
  })),
  feedback: result.feedback,
});
