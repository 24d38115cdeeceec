import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits of keys that were ended before bind the further keys of their user no more; those of keys that are ended from now on do. */
export class EndedLimits1795690000000 implements MigrationInterface {
  readonly name = 'EndedLimits1795690000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE api_keys SET limits_rank = 0 WHERE status = 'archived' AND limits_rank > 0`);
  }

  /** Ended keys had no use for their rank. */
  async down(): Promise<void> {
    await Promise.resolve();
  }
}
