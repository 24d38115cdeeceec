import { METHODS, type HttpMethod } from '@gw/mcp';
import {
  BooleanField,
  customField,
  EnumListField,
  isStorable,
  MapField,
  NestedField,
  omitOf,
  partialOf,
  QueryBooleanField,
  TextField,
  TextListField,
} from '@gw/web';
import { ValidateBy } from 'class-validator';
import { CreateMcpIntegrationDto } from '../mcp-integrations.dto';

/** The text of a document, or the document as JSON. */
const SpecField = (): PropertyDecorator =>
  customField(
    {
      optional: true,
      description:
        'The document: its text in JSON (at most 5 MiB) or YAML (at most 1 MiB), or a JSON object. A new integration has this or spec_url.',
      example: '{"openapi":"3.1.0","paths":{"/pets":{"get":{"operationId":"listPets"}}}}',
    },
    {
      oneOf: [
        { type: 'string', minLength: 1, maxLength: 5_242_880 },
        { type: 'object', additionalProperties: true },
      ],
    },
    ValidateBy({
      name: 'isSpec',
      validator: {
        validate: (value: unknown) =>
          (typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null) &&
          isStorable(value),
        defaultMessage: () => '$property must be the text of an OpenAPI document, or an object',
      },
    }),
  );

class OperationFilterDto {
  @TextListField({ optional: true }) operation_ids?: string[];
  @TextListField({ optional: true, description: 'An operation with one of them fits.' }) tags?: string[];
  @EnumListField(METHODS, { optional: true }) methods?: HttpMethod[];
  @TextListField({
    optional: true,
    itemMax: 1_024,
    description: 'Paths, or beginnings of paths before a final `*`.',
    example: ['/pets*'],
  })
  paths?: string[];
}

/** Selection of a document's operations by an administrator. Operations are named by their ids, or by `method path`. */
export class OpenApiSelectionFields {
  @NestedField(() => OperationFilterDto, {
    optional: true,
    nullable: true,
    description:
      'Operations that fit all of its members become tools. Null or {}: all GET operations. Absent in an update: as it was.',
  })
  include?: OperationFilterDto | null;
  @NestedField(() => OperationFilterDto, { optional: true, nullable: true })
  exclude?: OperationFilterDto | null;
  @MapField({
    optional: true,
    maxEntries: 100,
    keyMax: 1_100,
    valueMax: 64,
    description: 'Names of tools by operation.',
    example: { 'get /pets': 'list_pets' },
  })
  aliases?: Record<string, string>;
  @TextListField({
    optional: true,
    itemMax: 1_100,
    description: 'Operations that change nothing, although their methods do not say so.',
    example: ['post /pets/search'],
  })
  read_only?: string[];
  @BooleanField({
    optional: true,
    description:
      'Whether tools say what their results look like. True by default; absent in an update: as it was.',
  })
  output_schemas?: boolean;
}

class OpenApiFields extends OpenApiSelectionFields {
  @SpecField() spec?: unknown;
  @TextField({
    optional: true,
    max: 2_048,
    description: 'Where the document is read, now and every 15 minutes. No credential is sent.',
    example: 'https://api.example.com/openapi.json',
  })
  spec_url?: string;
}

export class UpdateOpenApiDto extends partialOf(OpenApiFields) {}

export class OpenApiQuery {
  @QueryBooleanField({ description: 'True adds the text of the document.' }) document?: boolean;
}

export class CreateOpenApiDto extends omitOf(CreateMcpIntegrationDto, 'url', 'transport') {
  @NestedField(() => OpenApiFields) openapi!: OpenApiFields;
  @TextField({
    optional: true,
    max: 2_048,
    description:
      'URL of the service; by default the first server of the document. An integration with credentials needs it, unless ' +
      'that server has the origin of spec_url.',
    example: 'https://api.example.com/v1',
  })
  base_url?: string;
  @MapField({
    optional: true,
    maxEntries: 20,
    description: 'Values of the variables of that server, each one of its enum.',
    example: { region: 'eu' },
  })
  server_variables?: Record<string, string>;
  @BooleanField({
    optional: true,
    description: 'False: nothing is saved, and the response shows what would be. True by default.',
  })
  commit?: boolean;
}
