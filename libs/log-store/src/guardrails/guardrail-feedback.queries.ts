import { FeedbackEntity } from '@gw/entities';
import { storableJson, storableText, uuidv7 } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { JudgedLog } from '../rows/log-amendments.queries';

/** Maximum number of guardrail records of one log that can give feedback. */
const PER_LOG_MAX = 100;

/**
 * Stores the feedback of guardrails on the traces of logs, except that of their first
 * `verdictsBefore` guardrails, which is stored already. Feedback without a valid value is skipped,
 * so that it never prevents a record from being stored.
 */
export async function insertGuardrailFeedback(
  manager: EntityManager,
  judged: readonly JudgedLog[],
): Promise<void> {
  const rows = judged.flatMap(feedbackOf);
  if (rows.length > 0) await manager.insert(FeedbackEntity, rows);
}

function feedbackOf({ row, verdictsBefore }: JudgedLog) {
  const { organisation_id: organisationId, workspace_id: workspaceId, decision } = row;
  const records: unknown = decision.guardrails;
  if (organisationId === null || workspaceId === null || !Array.isArray(records)) return [];
  return records.slice(verdictsBefore, PER_LOG_MAX).flatMap((record: unknown) => {
    const { feedback } = (record ?? {}) as { readonly feedback?: Readonly<Record<string, unknown>> | null };
    const { value, weight, metadata } = feedback ?? {};
    if (typeof value !== 'number' || !Number.isFinite(value)) return [];
    return [
      {
        id: uuidv7(),
        organisationId,
        workspaceId,
        traceId: storableText(row.trace_id),
        value,
        weight: typeof weight === 'number' && weight >= 0 && weight <= 1 ? weight : 1,
        metadata: storableMetadata(metadata),
        source: 'guardrail' as const,
        createdAt: new Date(row.created_at),
      },
    ];
  });
}

/** Returns metadata that Postgres can store; an empty object for anything but an object. */
function storableMetadata(metadata: unknown): object {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return {};
  return JSON.parse(storableJson(metadata)) as object;
}
