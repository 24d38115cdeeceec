import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { sampleLogRecord } from '@gw/testing';
import type { Tenant, TestAdminApi } from './admin-api';

interface Parts {
  readonly admin: TestAdminApi;
  readonly ours: Tenant;
  /** Makes a call whose response must match the document. */
  readonly step: (method: string, url: string, body?: object, by?: object) => Promise<unknown>;
}

/** Checks the responses of logs and feedback against the document. Call it in a `describe`. */
export function checkLogResponses({ admin, ours, step }: Parts): void {
  it('of logs match the document', async () => {
    const { organisationId, workspaceId } = ours;
    const record = { ...sampleLogRecord(), organisationId, workspaceId };
    await ensureLogPartitions(admin.dataSource, [dayOf(new Date(record.createdAt))]);
    const row = requestLogRow(record);
    const bodies = { request: Buffer.from('{"a":1}'), response: Buffer.from([0xff, 0x00]) };
    await insertLogs(admin.dataSource.manager, [{ row, ...bodies }]);
    await step('GET', '/v1/logs', undefined, { key: ours.key });
    const own = { key: ours.key };
    const feedback = { trace_id: record.traceId, value: 5, metadata: { by: 'ada' } };
    const { feedback_ids: ids } = await admin
      .post<{ feedback_ids: string[] }>('/v1/feedback', { ...own, body: feedback })
      .then(({ body }) => body);
    await step('PUT', `/v1/feedback/${ids[0] ?? ''}`, { value: 4 }, own);
    await step('GET', `/v1/logs/${record.id}`, undefined, own);
    await step('GET', `/v1/logs/${record.id}?bodies=false`, undefined, own);
    for (const part of ['request', 'response'])
      await step('GET', `/v1/logs/${record.id}/${part}`, undefined, own);
    await step('GET', '/v1/logs/tail?max_seconds=1', undefined, own);
    await step('GET', `/v1/logs/traces/${record.traceId}`, undefined, own);
    const custom = { request: { url: 'https://example.com', body: {} }, response: { body: {} } };
    await step('POST', '/v1/logs', custom, own);
  });
}
