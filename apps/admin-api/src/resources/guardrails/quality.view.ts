import type { CheckQuality, StoredVerdict } from '@gw/log-store';
import { precisionOf, rounded } from './precision';
import type { CheckQualityResponse, QualityNumbersResponse, VerdictResponse } from './quality.dto';

export const toVerdict = (row: StoredVerdict): VerdictResponse => ({
  log_id: row.log_id,
  created_at: row.created_at.toISOString(),
  workspace_id: row.workspace_id,
  check: row.check_id,
  stage: row.stage,
  verdict: row.verdict,
  denied: row.denied,
  duration_ms: row.duration_ms,
  version_id: row.version_id,
  mark: row.mark,
  marked_at: row.marked_at?.toISOString() ?? null,
  marked_by: row.marked_by,
  note: row.note,
});

type Numbers = Omit<CheckQuality, 'check_id' | 'stage'>;

const toNumbers = (numbers: Numbers): QualityNumbersResponse => {
  const { runs, failed, errored, duration_ms, false_positives, true_positives } = numbers;
  return {
    runs,
    failed,
    errored,
    average_ms: runs === 0 ? 0 : rounded(duration_ms / runs),
    false_positives,
    true_positives,
    precision: precisionOf(true_positives, false_positives),
    precision_at_most: failed === 0 ? null : rounded(Math.max(0, 1 - false_positives / failed)),
  };
};

export const toCheckQuality = (row: CheckQuality): CheckQualityResponse => ({
  check: row.check_id,
  stage: row.stage,
  ...toNumbers(row),
});

export function toTotal(rows: readonly CheckQuality[]): QualityNumbersResponse {
  const sum = (name: keyof Numbers): number => rows.reduce((total, row) => total + row[name], 0);
  return toNumbers({
    runs: sum('runs'),
    failed: sum('failed'),
    errored: sum('errored'),
    duration_ms: sum('duration_ms'),
    false_positives: sum('false_positives'),
    true_positives: sum('true_positives'),
  });
}
