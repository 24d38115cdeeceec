import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../identity/user.entity';
import { PlainRow } from '../row';
import { McpServerEntity } from './mcp-server.entity';

/** A link with which one user connects to one upstream MCP server. Each of its steps works once. */
@Entity('mcp_connect_tickets')
@Check('mcp_connect_tickets_step_ck', `step IN ('open', 'begun', 'ended')`)
export class McpConnectTicketEntity extends PlainRow {
  /** HMAC-SHA256 of the ticket, hex. */
  @PrimaryColumn({
    name: 'ticket_hash',
    type: 'char',
    length: 64,
    primaryKeyConstraintName: 'mcp_connect_tickets_pk',
  })
  ticketHash!: string;

  @Index('mcp_connect_tickets_server_id_ix')
  @Column({ name: 'server_id', type: 'uuid' })
  @ForeignKey(() => McpServerEntity, { name: 'mcp_connect_tickets_server_fk', onDelete: 'CASCADE' })
  serverId!: string;

  @Index('mcp_connect_tickets_user_id_ix')
  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey(() => UserEntity, { name: 'mcp_connect_tickets_user_fk', onDelete: 'CASCADE' })
  userId!: string;

  /** `begun`: the browser was redirected to the authorization server. `ended`: it returned. */
  @Column({ name: 'step', type: 'varchar', length: 16 })
  step!: 'open' | 'begun' | 'ended';

  /** HMAC-SHA256 of `state`, hex; null before the step `begun`. */
  @Index('mcp_connect_tickets_state_hash_uq', { unique: true })
  @Column({ name: 'state_hash', type: 'char', length: 64, nullable: true })
  stateHash!: string | null;

  /** `seal()` of the authorization as JSON, bound to the ticket; null before it is discovered. */
  @Column({ name: 'sealed', type: 'text', nullable: true })
  sealed!: string | null;

  @Index('mcp_connect_tickets_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
