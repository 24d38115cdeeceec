import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/** Where alerts of budgets are posted to. */
@Entity('alert_webhooks')
@Index('alert_webhooks_page_ix', ['organisationId', 'createdAt', 'id'])
export class AlertWebhookEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'alert_webhooks_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'alert_webhooks_organisation_fk' })
  organisationId!: string;

  /** Null: alerts of the whole organisation. */
  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  @ForeignKey(() => WorkspaceEntity, { name: 'alert_webhooks_workspace_fk' })
  workspaceId!: string | null;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'url', type: 'varchar', length: 2048 })
  url!: string;

  /** 32 bytes that sign what is sent, sealed for `webhookBinding(id)`. */
  @Column({ name: 'sealed_secret', type: 'text' })
  sealedSecret!: string;

  @Column({ name: 'enabled', type: 'boolean', default: true })
  enabled!: boolean;
}

/** Binding that the secret of a webhook is sealed with. */
export const webhookBinding = (id: string): string => `alert-webhook/${id}`;
