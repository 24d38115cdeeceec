import {
  ResponseField,
  responseOf,
  NameField,
  pageOf,
  partialOf,
  pickOf,
  plainListResponseOf,
  ReferenceField,
  RowResponse,
  TextField,
  UuidField,
  viewOf,
} from '@gw/web';
import type { LabelEntity } from '@gw/entities';

/**
 * Matches label names. A label follows an `@`, where a version number, `latest` and `default` have
 * other meanings.
 */
const NAME = /^(?!latest$)(?!default$)(?!\d+$)[a-zA-Z0-9_-]*(?:[^@\sa-zA-Z0-9_-][a-zA-Z0-9_-]*)?$/;
const ORGANISATION = { optional: true, description: 'Must be the organisation of the credential.' } as const;

/** Fields of a label that callers can write. */
export class LabelFields {
  @TextField({ pattern: NAME, example: 'canary' }) name!: string;
  @TextField({ optional: true, nullable: true, max: 2000 }) description?: string | null;
  @TextField({ optional: true, nullable: true, max: 32, pattern: /^#?[\w-]+$/, example: '#0969da' })
  color_code?: string | null;
}

export class CreateLabelDto extends LabelFields {
  @UuidField(ORGANISATION) organisation_id?: string;
  @ReferenceField({
    optional: true,
    description:
      'Workspace of the label. When absent with a credential of the whole organisation, the label applies to all workspaces.',
  })
  workspace_id?: string;
}

export class UpdateLabelDto extends partialOf(LabelFields) {
  @ReferenceField({ optional: true }) workspace_id?: string;
}

export class ListLabelsQuery extends pageOf({ size: 100 }) {
  @UuidField(ORGANISATION) organisation_id?: string;
  @ReferenceField({ optional: true }) workspace_id?: string;
  @NameField({ optional: true, description: 'Text that the name must contain.' }) search?: string;
  @NameField({ optional: true, description: 'The exact name.' }) name?: string;
}

export class LabelResponse extends responseOf(LabelFields, RowResponse) {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid({ description: 'Organisation of the caller, also for a universal label.' })
  readonly organisation_id!: string;
  @ResponseField.uuid({
    nullable: true,
    description: 'Workspace of the label; null for a label of all workspaces.',
  })
  readonly workspace_id!: string | null;
  @ResponseField.boolean({
    description: 'True for a built-in label, which every organisation has and which cannot be changed.',
  })
  readonly is_universal!: boolean;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
}

export class CreatedLabelResponse extends pickOf(LabelResponse, 'id') {}

export class LabelListResponse extends plainListResponseOf(LabelResponse) {}

export const toLabel = (row: LabelEntity, organisationId: string): LabelResponse =>
  viewOf(LabelResponse, row, { organisation_id: organisationId, is_universal: row.organisationId === null });
