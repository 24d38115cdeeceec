import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';

/**
 * A person. Belongs to organisations through `organisation_users`, to workspaces through
 * `workspace_users`.
 */
@Entity('users')
export class UserEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'users_pk' })
  id!: string;

  /** Address in lower case, so that two spellings of it are one user. */
  @Index('users_email_uq', { unique: true })
  @Column({ name: 'email', type: 'varchar', length: 320 })
  email!: string;

  @Column({ name: 'first_name', type: 'varchar', length: 255, default: '' })
  firstName!: string;

  @Column({ name: 'last_name', type: 'varchar', length: 255, default: '' })
  lastName!: string;

  /**
   * Argon2id hash of the password that is valid in every organisation; null for a user whose
   * address is not proven.
   */
  @Column({ name: 'password_hash', type: 'varchar', length: 255, nullable: true })
  passwordHash!: string | null;

  /** Whether the first set-up generated the password and the user has not changed it since. */
  @Column({ name: 'password_generated', type: 'boolean', default: false })
  passwordGenerated!: boolean;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  /**
   * Number of wrong authenticator codes since `codeFailuresSince`; see `code-throttle.ts` of the
   * admin API.
   */
  @Column({ name: 'code_failures', type: 'integer', default: 0 })
  codeFailures!: number;

  @Column({ name: 'code_failures_since', type: 'timestamptz', precision: 3, nullable: true })
  codeFailuresSince!: Date | null;
}
