import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A gateway process that has reported within the last day. */
@Entity('gateways')
export class GatewayEntity {
  /** Id that the gateway builds from its host name and its number on that host. */
  @PrimaryColumn({ name: 'id', type: 'text', primaryKeyConstraintName: 'gateways_pk' })
  id!: string;

  @Column({ name: 'version', type: 'text' })
  version!: string;

  /** Deployment whose `client_auth` the gateway sent; null for none. */
  @Column({ name: 'deployment_id', type: 'uuid', nullable: true })
  deploymentId!: string | null;

  @Column({ name: 'first_seen_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  firstSeenAt!: Date;

  @Column({ name: 'last_seen_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  lastSeenAt!: Date;
}
