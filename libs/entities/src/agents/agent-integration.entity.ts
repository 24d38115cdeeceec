import type { AgentInterfaceFacts, AgentPrices } from '@gw/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { UpstreamIntegration } from '../upstreams/upstream-integration';

/** An A2A agent: its address, how the gateway authenticates there, and its card. */
@Entity('agent_integrations')
@Check('agent_integrations_status_ck', `status IN ('active', 'archived')`)
@Check(
  'agent_integrations_health_state_ck',
  `health_state IN ('healthy', 'degraded', 'down', 'unauthorised', 'unknown')`,
)
@Index('agent_integrations_slug_uq', ['organisationId', 'slug'], {
  unique: true,
  where: `status <> 'archived'`,
})
@Index('agent_integrations_page_ix', ['organisationId', 'createdAt', 'id'])
@Index('agent_integrations_secret_mappings_ix', { synchronize: false })
@Index('agent_integrations_next_sync_ix', ['nextSyncAt'])
@Index('agent_integrations_next_health_ix', ['nextHealthAt'])
export class AgentIntegrationEntity extends UpstreamIntegration {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'agent_integrations_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'agent_integrations_organisation_fk' })
  organisationId!: string;

  @Index('agent_integrations_workspace_id_ix')
  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  @ForeignKey(() => WorkspaceEntity, { name: 'agent_integrations_workspace_fk' })
  workspaceId!: string | null;

  /**
   * `fetched`: the card is read from `url`. `manual`: an administrator entered the card, and it is
   * never read.
   */
  @Column({ name: 'source', type: 'varchar', length: 16 })
  source!: 'fetched' | 'manual';

  /** Version of A2A for calls; `auto` chooses one that the card offers. */
  @Column({ name: 'protocol', type: 'varchar', length: 16, default: 'auto' })
  protocol!: 'auto' | '0.3' | '1.0';

  /** Protocol binding for calls; `auto` chooses one that the card offers. */
  @Column({ name: 'binding', type: 'varchar', length: 16, default: 'auto' })
  binding!: 'auto' | 'JSONRPC' | 'HTTP+JSON';

  @Column({ name: 'push', type: 'varchar', length: 16, default: 'relay' })
  push!: 'relay' | 'emulate' | 'off';

  /** Whether the card may name addresses of other origins than that of `url`. */
  @Column({ name: 'allow_other_origin', type: 'boolean', default: false })
  allowOtherOrigin!: boolean;

  /** Public keys (RFC 7517) that sign the card. Null: signatures are not checked. */
  @Column({ name: 'trusted_keys', type: 'jsonb', nullable: true })
  trustedKeys!: Record<string, unknown>[] | null;

  /**
   * URL from which `trustedKeys` are read with each card; null if an administrator entered them.
   */
  @Column({ name: 'trusted_keys_url', type: 'varchar', length: 2048, nullable: true })
  trustedKeysUrl!: string | null;

  @Column({ name: 'signature_state', type: 'varchar', length: 16, nullable: true })
  signatureState!: 'verified' | 'unsigned' | 'untrusted' | null;

  /**
   * The newest card as JSON, up to 1 MiB; null before the first one. Only queries that name the
   * column read it.
   */
  @Column({ name: 'card', type: 'text', nullable: true, select: false })
  card?: string | null;

  /**
   * Interface of `card` that the gateway calls; null when the card has no address for `protocol`
   * and `binding`.
   */
  @Column({ name: 'endpoint', type: 'jsonb', nullable: true })
  endpoint!: AgentInterfaceFacts | null;

  /** The `endpoint` of the last approved card; gateways call this one. */
  @Column({ name: 'approved_endpoint', type: 'jsonb', nullable: true })
  approvedEndpoint!: AgentInterfaceFacts | null;

  @Column({ name: 'prices', type: 'jsonb', nullable: true })
  prices!: AgentPrices | null;

  /** Maximum number of messages of one context in an hour; null for no limit. */
  @Column({ name: 'messages_per_context_hour', type: 'integer', nullable: true })
  messagesPerContextHour!: number | null;
}
