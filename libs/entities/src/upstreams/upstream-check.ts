import { Column } from 'typeorm';
import type { UpstreamHealthState } from './upstream-integration';

/** The result of one check of an upstream; kept for a day. */
export abstract class UpstreamCheck {
  abstract integrationId: string;
  /** Minute of the check; a later check in the same minute replaces it. */
  abstract minute: Date;

  @Column({ name: 'state', type: 'varchar', length: 16 })
  state!: UpstreamHealthState;

  /** Response time in milliseconds; null if the upstream did not respond. */
  @Column({ name: 'ms', type: 'integer', nullable: true })
  ms!: number | null;
}
