import { ObjectField, ResponseField, responseOf } from '@gw/web';

const SCHEMA = {
  optional: true,
  nullable: true,
  description: 'A JSON Schema for an object of strings that allows further members. Null for none.',
  example: {
    type: 'object',
    additionalProperties: true,
    required: ['team'],
    properties: { team: { type: 'string', enum: ['search', 'ads'] } },
  },
} as const;

export class UpdatePropertiesDto {
  @ObjectField(SCHEMA) api_key_metadata_schema?: Record<string, unknown> | null;
  @ObjectField(SCHEMA) workspace_metadata_schema?: Record<string, unknown> | null;
  @ObjectField({
    ...SCHEMA,
    description:
      'Schema against which the metadata of every request is checked, including that of its API key.',
  })
  request_metadata_schema?: Record<string, unknown> | null;
}

class PropertiesTag {
  @ResponseField.etag() readonly etag!: string;
  @ResponseField.kind('organisation-properties') readonly object!: 'organisation-properties';
}

export class PropertiesResponse extends responseOf(UpdatePropertiesDto, PropertiesTag) {}
