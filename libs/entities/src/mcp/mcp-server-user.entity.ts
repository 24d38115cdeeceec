import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../identity/user.entity';
import { McpServerEntity } from './mcp-server.entity';

const PRIMARY_KEY = 'mcp_server_users_pk';

/** Whether a user may use an MCP server, if that differs from the server's default. */
@Entity('mcp_server_users')
export class McpServerUserEntity {
  @PrimaryColumn({ name: 'server_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => McpServerEntity, { name: 'mcp_server_users_server_fk' })
  serverId!: string;

  @Index('mcp_server_users_user_id_ix')
  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => UserEntity, { name: 'mcp_server_users_user_fk' })
  userId!: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled!: boolean;
}
