import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { Row } from '../row';

/**
 * JSON Schemas (the subset that `metadata-schema.ts` of the control plane names) of the metadata
 * that things must have.
 */
@Entity('organisation_properties')
export class OrganisationPropertiesEntity extends Row {
  @PrimaryColumn({
    name: 'organisation_id',
    type: 'uuid',
    primaryKeyConstraintName: 'organisation_properties_pk',
  })
  @ForeignKey(() => OrganisationEntity, { name: 'organisation_properties_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'api_key_metadata_schema', type: 'jsonb', nullable: true })
  apiKeyMetadataSchema!: Record<string, unknown> | null;

  @Column({ name: 'workspace_metadata_schema', type: 'jsonb', nullable: true })
  workspaceMetadataSchema!: Record<string, unknown> | null;

  /** Held against the metadata of requests, in the gateway. */
  @Column({ name: 'request_metadata_schema', type: 'jsonb', nullable: true })
  requestMetadataSchema!: Record<string, unknown> | null;
}
