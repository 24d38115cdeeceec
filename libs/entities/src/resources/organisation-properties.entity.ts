import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { Row } from '../row';

/**
 * JSON Schemas of the metadata that resources and requests must have, in the subset that
 * `metadata-schema.ts` of the control plane defines.
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

  /** Schema against which gateways validate the metadata of requests. */
  @Column({ name: 'request_metadata_schema', type: 'jsonb', nullable: true })
  requestMetadataSchema!: Record<string, unknown> | null;
}
