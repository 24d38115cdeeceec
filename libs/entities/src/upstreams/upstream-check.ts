import { Column } from 'typeorm';
import type { UpstreamHealthState } from './upstream-integration';

/** The result of one check of an upstream; kept for a day. */
export abstract class UpstreamCheck {
  abstract integrationId: string;
  /** The minute of the check; a later check of the minute takes its place. */
  abstract minute: Date;

  @Column({ name: 'state', type: 'varchar', length: 16 })
  state!: UpstreamHealthState;

  /** How long the upstream took to respond; null: it did not. */
  @Column({ name: 'ms', type: 'integer', nullable: true })
  ms!: number | null;
}
