import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { McpIntegrationEntity } from './mcp-integration.entity';

/** A client that was registered for an MCP integration at an authorization server. */
@Entity('mcp_oauth_clients')
@Index('mcp_oauth_clients_issuer_uq', ['integrationId', 'issuerDigest'], { unique: true })
export class McpOauthClientEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_oauth_clients_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => McpIntegrationEntity, { name: 'mcp_oauth_clients_integration_fk' })
  integrationId!: string;

  /** `digestOf()` of the issuer. */
  @Column({ name: 'issuer_digest', type: 'char', length: 43 })
  issuerDigest!: string;

  /** `seal()` of the registered client as JSON, bound to the id. */
  @Column({ name: 'sealed', type: 'text' })
  sealed!: string;
}
