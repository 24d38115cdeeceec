import { NameField, pageOf, ReferenceField, TextField, UuidField } from '@gw/web';
import { ApiProperty } from '@nestjs/swagger';

/** Written behind an `@`: a version's number and `latest` and `default` mean something else there. */
const NAME = /^(?!latest$)(?!default$)(?!\d+$)[a-zA-Z0-9_-]*(?:[^@\sa-zA-Z0-9_-][a-zA-Z0-9_-]*)?$/;

export class CreateLabelDto {
  @TextField({ pattern: NAME, example: 'canary' })
  name!: string;

  @TextField({ optional: true, nullable: true, max: 2000 })
  description?: string | null;

  @TextField({ optional: true, nullable: true, max: 32, pattern: /^#?[\w-]+$/, example: '#0969da' })
  color_code?: string | null;

  @UuidField({ optional: true, description: 'Of the credential; nothing else is taken.' })
  organisation_id?: string;

  @ReferenceField({ optional: true, description: 'Absent: a label of every workspace of the organisation.' })
  workspace_id?: string;
}

export class UpdateLabelDto {
  @TextField({ optional: true, pattern: NAME, example: 'canary' })
  name?: string;

  @TextField({ optional: true, nullable: true, max: 2000 })
  description?: string | null;

  @TextField({ optional: true, nullable: true, max: 32, pattern: /^#?[\w-]+$/, example: '#0969da' })
  color_code?: string | null;

  @ReferenceField({ optional: true })
  workspace_id?: string;
}

export class ListLabelsQuery extends pageOf({ size: 100 }) {
  @UuidField({ optional: true, description: 'Of the credential; nothing else is taken.' })
  organisation_id?: string;

  @ReferenceField({ optional: true })
  workspace_id?: string;

  @NameField({ optional: true, description: 'Part of the name.' })
  search?: string;

  @NameField({ optional: true, description: 'The whole name.' })
  name?: string;
}

export class CreatedLabelDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
}
