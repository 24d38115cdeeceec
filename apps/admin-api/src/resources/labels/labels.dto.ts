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

/** Written behind an `@`: a version's number and `latest` and `default` mean something else there. */
const NAME = /^(?!latest$)(?!default$)(?!\d+$)[a-zA-Z0-9_-]*(?:[^@\sa-zA-Z0-9_-][a-zA-Z0-9_-]*)?$/;
const ORGANISATION = { optional: true, description: 'Of the credential; nothing else is taken.' } as const;

/** What callers write of a label. */
export class LabelFields {
  @TextField({ pattern: NAME, example: 'canary' }) name!: string;
  @TextField({ optional: true, nullable: true, max: 2000 }) description?: string | null;
  @TextField({ optional: true, nullable: true, max: 32, pattern: /^#?[\w-]+$/, example: '#0969da' })
  color_code?: string | null;
}

export class CreateLabelDto extends LabelFields {
  @UuidField(ORGANISATION) organisation_id?: string;
  @ReferenceField({ optional: true, description: 'Absent: a label of every workspace of the organisation.' })
  workspace_id?: string;
}

export class UpdateLabelDto extends partialOf(LabelFields) {
  @ReferenceField({ optional: true }) workspace_id?: string;
}

export class ListLabelsQuery extends pageOf({ size: 100 }) {
  @UuidField(ORGANISATION) organisation_id?: string;
  @ReferenceField({ optional: true }) workspace_id?: string;
  @NameField({ optional: true, description: 'Part of the name.' }) search?: string;
  @NameField({ optional: true, description: 'The whole name.' }) name?: string;
}

export class LabelResponse extends responseOf(LabelFields, RowResponse) {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid({ description: 'Of the caller, for a universal label too.' })
  readonly organisation_id!: string;
  @ResponseField.uuid({ nullable: true, description: 'Null: of every workspace.' })
  readonly workspace_id!: string | null;
  @ResponseField.boolean({ description: 'Every organisation has it, and it cannot be changed.' })
  readonly is_universal!: boolean;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
}

export class CreatedLabelDto extends pickOf(LabelResponse, 'id') {}

export class LabelListResponse extends plainListResponseOf(LabelResponse) {}

export const toLabel = (row: LabelEntity, organisationId: string): LabelResponse =>
  viewOf(LabelResponse, row, { organisation_id: organisationId, is_universal: row.organisationId === null });
