import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A gateway process that has reported within the last day. */
@Entity('gateways')
export class GatewayEntity {
  /** Made by the gateway of its host's name and its number there. */
  @PrimaryColumn({ name: 'id', type: 'text', primaryKeyConstraintName: 'gateways_pk' })
  id!: string;

  @Column({ name: 'version', type: 'text' })
  version!: string;

  /** Whose `client_auth` it showed; null: none. */
  @Column({ name: 'deployment_id', type: 'uuid', nullable: true })
  deploymentId!: string | null;

  @Column({ name: 'first_seen_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  firstSeenAt!: Date;

  @Column({ name: 'last_seen_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  lastSeenAt!: Date;
}
