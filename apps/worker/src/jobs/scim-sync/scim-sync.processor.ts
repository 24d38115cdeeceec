import { INTERNAL, type ScimSettleResponse } from '@gw/contracts';
import { ScimUserEntity } from '@gw/entities';
import { scimSyncJob, type JobProcessor } from '@gw/jobs';
import type { ServiceClient } from '@gw/outbound';
import type { DataSource } from 'typeorm';

/** Maximum number of batches in one run; the rest is left for the next run. */
const BATCHES_MAX = 100;

export interface ScimSyncOptions {
  readonly client: Pick<ServiceClient, 'call'>;
  readonly adminUrl: string;
  readonly serviceToken: string;
}

/**
 * Safe to run twice and on many machines: the admin API locks the users of a batch, and settled ones
 * are no longer pending. One batch at a time, so that a large synchronisation leaves the admin API
 * room for other requests. A batch that fails ends the run; the job is repeated with a growing delay.
 */
export class ScimSyncProcessor implements JobProcessor {
  readonly spec = scimSyncJob;

  constructor(
    private readonly source: DataSource,
    private readonly options: ScimSyncOptions,
  ) {}

  async process(): Promise<void> {
    for (let count = 0; count < BATCHES_MAX; count += 1) {
      if (!(await this.source.manager.existsBy(ScimUserEntity, { pending: true }))) return;
      if ((await this.settle()) === 0) return;
    }
  }

  /** Returns the number of users that the admin API has settled. */
  private async settle(): Promise<number> {
    const { client, adminUrl, serviceToken } = this.options;
    const { status, body } = await client.call({
      url: new URL(INTERNAL.scimSettle, adminUrl).href,
      method: 'POST',
      headers: { authorization: `Bearer ${serviceToken}` },
    });
    if (status !== 200)
      throw new Error(`The admin API responded with ${String(status)} to a batch of SCIM users.`);
    return (JSON.parse(body.toString('utf8')) as ScimSettleResponse).settled;
  }
}
