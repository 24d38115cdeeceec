import { rotateSigningKeys } from '@gw/entities';
import { signingKeysJob, type JobProcessor } from '@gw/jobs';
import type { Keyring } from '@gw/kernel';
import type { DataSource } from 'typeorm';

/** Rotates the keys that the installation signs with. Safe to run twice and on many machines. */
export class SigningKeysProcessor implements JobProcessor {
  readonly spec = signingKeysJob;

  constructor(
    private readonly source: DataSource,
    /** Seals the private keys; null without a master key, when there are no signing keys. */
    private readonly keyring: Keyring | null,
  ) {}

  async process(): Promise<void> {
    if (this.keyring !== null) await rotateSigningKeys(this.source.manager, this.keyring, new Date());
  }
}
