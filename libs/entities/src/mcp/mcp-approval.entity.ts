import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';
import { McpServerEntity } from './mcp-server.entity';

/**
 * A call of a tool that, by a rule, needs the approval of a person. Only the same caller can use
 * the approval, once, for the same arguments.
 */
@Entity('mcp_approvals')
@Check('mcp_approvals_status_ck', `status IN ('pending', 'approved', 'rejected', 'used')`)
@Index('mcp_approvals_call_ix', ['serverId', 'principal', 'argumentsDigest'])
@Index('mcp_approvals_page_ix', ['organisationId', 'createdAt', 'id'])
@Index('mcp_approvals_pending_ix', ['workspaceId', 'principal'], { where: `status = 'pending'` })
export class McpApprovalEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_approvals_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'mcp_approvals_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'mcp_approvals_workspace_fk' })
  workspaceId!: string;

  @Column({ name: 'server_id', type: 'uuid' })
  @ForeignKey(() => McpServerEntity, { name: 'mcp_approvals_server_fk' })
  serverId!: string;

  /** The server's own name of the tool. */
  @Column({ name: 'tool', type: 'text' })
  tool!: string;

  /** `principalBinding` of the caller. */
  @Column({ name: 'principal', type: 'varchar', length: 64 })
  principal!: string;

  @Column({ name: 'user_id', type: 'varchar', length: 255, nullable: true })
  userId!: string | null;

  @Column({ name: 'api_key_id', type: 'varchar', length: 255, nullable: true })
  apiKeyId!: string | null;

  @Column({ name: 'client_id', type: 'text', nullable: true })
  clientId!: string | null;

  @Column({ name: 'trust_id', type: 'varchar', length: 255, nullable: true })
  trustId!: string | null;

  /** Digest of the arguments as canonical JSON. */
  @Column({ name: 'arguments_digest', type: 'varchar', length: 64 })
  argumentsDigest!: string;

  /**
   * Arguments as JSON without credentials, as in the log; null in workspaces that do not log
   * bodies.
   */
  @Column({ name: 'arguments_json', type: 'text', nullable: true })
  argumentsJson!: string | null;

  /** `used`: the call was made. A pending or approved row keeps its status when it expires. */
  @Column({ name: 'status', type: 'varchar', length: 16 })
  status!: 'pending' | 'approved' | 'rejected' | 'used';

  /**
   * Time after which a pending approval cannot be decided, an approved one cannot be used, and a
   * rejected one no longer applies to the call.
   */
  @Index('mcp_approvals_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  /** Id of the user or key that decided. */
  @Column({ name: 'decided_by', type: 'varchar', length: 255, nullable: true })
  decidedBy!: string | null;

  @Column({ name: 'decided_at', type: 'timestamptz', precision: 3, nullable: true })
  decidedAt!: Date | null;

  @Column({ name: 'reason', type: 'varchar', length: 500, nullable: true })
  reason!: string | null;

  /** Time of the call, or of its last round of input. */
  @Column({ name: 'used_at', type: 'timestamptz', precision: 3, nullable: true })
  usedAt!: Date | null;

  /** Number of rounds of input that the call had after it was made. */
  @Column({ name: 'rounds', type: 'smallint', default: 0 })
  rounds!: number;
}
