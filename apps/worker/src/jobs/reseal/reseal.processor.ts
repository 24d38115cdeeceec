import { countOutdated, resealEverything } from '@gw/entities';
import { resealJob, type JobProcessor } from '@gw/jobs';
import type { Keyring } from '@gw/kernel';
import type { Log } from '@gw/web';
import type { DataSource } from 'typeorm';

/**
 * Moves sealed values to the current key. Safe to run twice: a value is replaced only if it did not
 * change since it was read.
 */
export class ResealProcessor implements JobProcessor {
  readonly spec = resealJob;
  /** Result of the latest run of this process. */
  progress = { outdated: 0, unopenable: 0 };

  constructor(
    private readonly source: DataSource,
    /** Key ring; null without ENCRYPTION_KEY, when nothing can be opened. */
    private readonly ring: Keyring | null,
    private readonly log: Log,
  ) {}

  async process(): Promise<void> {
    if (this.ring === null) return;
    const outdated = await countOutdated(this.source, this.ring);
    this.progress = { outdated, unopenable: 0 };
    if (outdated === 0) return;
    const { resealed, unopenable } = await resealEverything(this.source, this.ring);
    this.progress = { outdated: await countOutdated(this.source, this.ring), unopenable };
    const fields = { resealed, ...this.progress };
    if (unopenable > 0)
      this.log.error(fields, 'failed to open sealed values; ENCRYPTION_KEYS_PREVIOUS lacks their key');
    else this.log.info(fields, 'resealed values with the current ENCRYPTION_KEY');
  }
}
