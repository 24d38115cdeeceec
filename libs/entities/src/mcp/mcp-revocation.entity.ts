import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';

/**
 * Tokens of an ended connection that must still be revoked at their authorization server. The row
 * has no foreign keys, since the user and the server may be deleted by then.
 */
@Entity('mcp_revocations')
export class McpRevocationEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_revocations_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  organisationId!: string;

  @Column({ name: 'server_id', type: 'uuid' })
  serverId!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId!: string;

  /** `sealed_tokens` of the connection, unchanged. */
  @Column({ name: 'sealed_tokens', type: 'text' })
  sealedTokens!: string;
}
