import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { McpIntegrationEntity } from './mcp-integration.entity';

/** Selects operations that match all members; an absent member matches every operation. */
export interface StoredOperationFilter {
  readonly operation_ids?: readonly string[];
  readonly tags?: readonly string[];
  readonly methods?: readonly string[];
  /** Paths; a final `*` matches any continuation. */
  readonly paths?: readonly string[];
}

/**
 * Which operations of a document become tools, and how. An operation is named by its id, or as
 * `method path`.
 */
export interface StoredOpenApiSelection {
  /** Null: all GET operations. */
  readonly include: StoredOperationFilter | null;
  readonly exclude: StoredOperationFilter | null;
  /** Names of tools by operation. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Operations that are declared read-only, whatever their methods are. */
  readonly read_only: readonly string[];
  readonly output_schemas: boolean;
}

/** A selected operation that cannot become a tool. */
export interface StoredSkippedOperation {
  /** Name of the operation, such as `post /pets`. */
  readonly operation: string;
  readonly reason: string;
}

/**
 * The OpenAPI document of an integration of the kind `openapi`, and the selection of an
 * administrator.
 */
@Entity('mcp_openapi_documents')
export class McpOpenApiDocumentEntity extends PlainRow {
  @PrimaryColumn({
    name: 'integration_id',
    type: 'uuid',
    primaryKeyConstraintName: 'mcp_openapi_documents_pk',
  })
  @ForeignKey(() => McpIntegrationEntity, { name: 'mcp_openapi_documents_integration_fk' })
  integrationId!: string;

  /** URL from which the document is read again; null if it was uploaded. */
  @Column({ name: 'url', type: 'varchar', length: 2048, nullable: true })
  url!: string | null;

  /** Text of the document, JSON or YAML, at most 5 MiB, as it was last uploaded or read. */
  @Column({ name: 'document', type: 'text' })
  document!: string;

  /** SHA-256 of `document`, hex. */
  @Column({ name: 'digest', type: 'char', length: 64 })
  digest!: string;

  @Column({ name: 'selection', type: 'jsonb' })
  selection!: StoredOpenApiSelection;

  @Column({ name: 'skipped', type: 'jsonb', default: [] })
  skipped!: StoredSkippedOperation[];

  /** Time at which the document was last uploaded or read. */
  @Column({ name: 'read_at', type: 'timestamptz', precision: 3 })
  readAt!: Date;
}
