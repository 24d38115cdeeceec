import type { AuditRow } from '@gw/entities';
import type { JobSpec } from '@gw/jobs';
import { uuidv7 } from '@gw/kernel';

/** Facts about a change that the job itself does not imply. */
type ChangeFacts = Pick<
  AuditRow,
  'organisationId' | 'workspaceId' | 'action' | 'resourceType' | 'resourceId' | 'before' | 'after'
>;

/** Returns the audit row of a change that a job made. The caller must mask secrets first. */
export const jobAudit = (job: JobSpec, change: ChangeFacts): AuditRow => ({
  ...change,
  id: uuidv7(),
  createdAt: new Date(),
  userType: 'system',
  userId: null,
  method: 'JOB',
  uri: job.name,
  requestId: null,
  responseStatusCode: 200,
  errorType: null,
  clientIp: null,
  userAgent: null,
});

/**
 * Groups audit rows by organisation, in the order of the organisations' ids. Workers that append
 * the groups in this order lock the audit chains in the same order, so they cannot deadlock.
 */
export function auditsByOrganisation(rows: readonly AuditRow[]): (readonly AuditRow[])[] {
  const grouped = new Map<string, AuditRow[]>();
  for (const row of rows) {
    const group = grouped.get(row.organisationId);
    if (group) group.push(row);
    else grouped.set(row.organisationId, [row]);
  }
  return [...grouped].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}
