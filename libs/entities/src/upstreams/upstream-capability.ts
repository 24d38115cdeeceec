import { Column } from 'typeorm';
import { Row } from '../row';

/** A sign of an attack in a definition; corresponds to `Finding` of `libs/mcp`. */
export interface StoredFinding {
  readonly rule: string;
  readonly severity: string;
}

/**
 * A capability of an upstream MCP server, such as a tool, or a skill of an agent. `definition` is
 * the upstream's current definition, `approved` the one that callers see.
 */
export abstract class UpstreamCapability extends Row {
  abstract id: string;
  abstract integrationId: string;
  abstract type: string;

  /** Name, URI or URI template; for a skill its id. */
  @Column({ name: 'name', type: 'text' })
  name!: string;

  /** SHA-256 of the name, hex, because names may be too long for an index. */
  @Column({ name: 'name_digest', type: 'char', length: 64 })
  nameDigest!: string;

  /** Position in the upstream's list, from 0. */
  @Column({ name: 'position', type: 'integer' })
  position!: number;

  @Column({ name: 'definition', type: 'jsonb' })
  definition!: Record<string, unknown>;

  /** Digest of `definition`: `capabilityDigest` of `libs/mcp`. */
  @Column({ name: 'digest', type: 'char', length: 64 })
  digest!: string;

  /** The approved definition; null if none was approved, or the approved one was rejected. */
  @Column({ name: 'approved', type: 'jsonb', nullable: true })
  approved!: Record<string, unknown> | null;

  @Column({ name: 'state', type: 'varchar', length: 16 })
  state!: 'approved' | 'pending' | 'changed' | 'serve_approved' | 'rejected';

  @Column({ name: 'findings', type: 'jsonb', default: [] })
  findings!: StoredFinding[];

  @Column({ name: 'enabled', type: 'boolean', default: true })
  enabled!: boolean;

  /** Time at which the upstream stopped listing it; null while it is listed. */
  @Column({ name: 'gone_at', type: 'timestamptz', precision: 3, nullable: true })
  goneAt!: Date | null;

  /**
   * User who last approved or rejected it; null if it is undecided, or the integration's approval
   * mode decided.
   */
  @Column({ name: 'decided_by', type: 'varchar', length: 255, nullable: true })
  decidedBy!: string | null;

  @Column({ name: 'decided_at', type: 'timestamptz', precision: 3, nullable: true })
  decidedAt!: Date | null;
}
