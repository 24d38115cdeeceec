import type { ServiceClient } from '@gw/outbound';

export interface AdminBatchOptions {
  readonly client: Pick<ServiceClient, 'call'>;
  readonly adminUrl: string;
  readonly serviceToken: string;
}

/** Work that the admin API carries out for a job, in batches. */
export interface AdminBatchRun<Response> {
  /** Path of the internal route. */
  readonly path: string;
  /** Plural name of the batch's items, such as `SCIM users`, for the error. */
  readonly of: string;
  /** Returns how many items the batch processed; 0 ends the run. */
  readonly done: (response: Response) => number;
  /** Returns whether any item is due. */
  readonly isDue: () => Promise<boolean>;
  /** Maximum number of batches in one run; the rest is left for the next run. */
  readonly batchesMax: number;
}

/**
 * Requests one batch at a time from the admin API while anything is due, so that it keeps room for
 * other requests. Throws when a batch fails, which ends the run.
 */
export async function runAdminBatches<Response>(
  { client, adminUrl, serviceToken }: AdminBatchOptions,
  { path, of, done, isDue, batchesMax }: AdminBatchRun<Response>,
): Promise<void> {
  for (let count = 0; count < batchesMax; count += 1) {
    if (!(await isDue())) return;
    const { status, body } = await client.call({
      url: new URL(path, adminUrl).href,
      method: 'POST',
      headers: { authorization: `Bearer ${serviceToken}` },
    });
    if (status !== 200)
      throw new Error(`The admin API responded with ${String(status)} to a batch of ${of}.`);
    if (done(JSON.parse(body.toString('utf8')) as Response) === 0) return;
  }
}
