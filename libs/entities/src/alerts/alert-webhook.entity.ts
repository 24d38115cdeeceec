import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/** A webhook to which alerts are posted. */
@Entity('alert_webhooks')
@Index('alert_webhooks_page_ix', ['organisationId', 'createdAt', 'id'])
export class AlertWebhookEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'alert_webhooks_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'alert_webhooks_organisation_fk' })
  organisationId!: string;

  /** Null for alerts of the whole organisation. */
  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  @ForeignKey(() => WorkspaceEntity, { name: 'alert_webhooks_workspace_fk' })
  workspaceId!: string | null;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'url', type: 'varchar', length: 2048 })
  url!: string;

  /** 32 bytes that sign the posted messages, encrypted and bound to `webhookBinding(id)`. */
  @Column({ name: 'sealed_secret', type: 'text' })
  sealedSecret!: string;

  @Column({ name: 'enabled', type: 'boolean', default: true })
  enabled!: boolean;
}

/** Returns the binding of a webhook's encrypted secret. */
export const webhookBinding = (id: string): string => `alert-webhook/${id}`;
