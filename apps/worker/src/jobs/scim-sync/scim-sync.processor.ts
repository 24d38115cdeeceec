import { INTERNAL, type ScimSettleResponse } from '@gw/contracts';
import { ScimUserEntity } from '@gw/entities';
import { scimSyncJob, type JobProcessor } from '@gw/jobs';
import type { DataSource } from 'typeorm';
import { runAdminBatches, type AdminBatchOptions } from '../admin-batches';

/**
 * Applies pending SCIM changes of users through the admin API. Safe to run twice and on many
 * machines: the admin API locks the users of a batch, and settled ones are no longer pending. A
 * batch that fails ends the run; the job is repeated with a growing delay.
 */
export class ScimSyncProcessor implements JobProcessor {
  readonly spec = scimSyncJob;

  constructor(
    private readonly source: DataSource,
    private readonly options: AdminBatchOptions,
  ) {}

  process(): Promise<void> {
    return runAdminBatches<ScimSettleResponse>(this.options, {
      ...{ path: INTERNAL.scimSettle, of: 'SCIM users', batchesMax: 100 },
      isDue: () => this.source.manager.existsBy(ScimUserEntity, { pending: true }),
      done: ({ settled }) => settled,
    });
  }
}
