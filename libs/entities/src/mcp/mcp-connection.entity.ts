import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { UserEntity } from '../identity/user.entity';
import { Row } from '../row';
import { McpServerEntity } from './mcp-server.entity';

/** The tokens with which a user's calls authenticate at an upstream MCP server. */
@Entity('mcp_connections')
@Check(
  'mcp_connections_status_ck',
  `status IN ('connected', 'needs_consent', 'needs_scope', 'revoked', 'error')`,
)
@Index('mcp_connections_user_uq', ['serverId', 'userId'], { unique: true })
export class McpConnectionEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_connections_pk' })
  id!: string;

  @Index('mcp_connections_organisation_id_ix')
  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'mcp_connections_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'server_id', type: 'uuid' })
  @ForeignKey(() => McpServerEntity, { name: 'mcp_connections_server_fk' })
  serverId!: string;

  @Index('mcp_connections_user_id_ix')
  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey(() => UserEntity, { name: 'mcp_connections_user_fk' })
  userId!: string;

  /** The encrypted tokens, bound to `mcpConnectionBinding`; null when there are none. */
  @Column({ name: 'sealed_tokens', type: 'text', nullable: true })
  sealedTokens!: string | null;

  /** `needs_scope`: the connection is in use, but the server requires more scopes. */
  @Column({ name: 'status', type: 'varchar', length: 16 })
  status!: 'connected' | 'needs_consent' | 'needs_scope' | 'revoked' | 'error';

  @Column({ name: 'issuer', type: 'varchar', length: 2048, nullable: true })
  issuer!: string | null;

  @Column({ name: 'scopes', type: 'jsonb', default: [] })
  scopes!: string[];

  /**
   * Scopes that the next sign-in requests: those of the connection and those that the server
   * additionally requires.
   */
  @Column({ name: 'wanted_scopes', type: 'jsonb', default: [] })
  wantedScopes!: string[];

  /** When the access token expires; null: unknown. */
  @Index('mcp_connections_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  /** Holder of the lease that refreshes the tokens; null while there is none. */
  @Column({ name: 'lease', type: 'uuid', nullable: true })
  lease!: string | null;

  /** Time from which another process may refresh the tokens instead. */
  @Column({ name: 'lease_ends_at', type: 'timestamptz', precision: 3, nullable: true })
  leaseEndsAt!: Date | null;
}
