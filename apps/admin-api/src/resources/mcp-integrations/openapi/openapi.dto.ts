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

/** Declares the text of a document, or the document as JSON. */
const SpecField = (): PropertyDecorator =>
  customField(
    {
      optional: true,
      description:
        'The document: its text in JSON (at most 5 MiB) or YAML (at most 1 MiB), or a JSON object. A new integration needs this or spec_url.',
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
  @TextListField({ optional: true, description: 'Tags; an operation with one of them matches.' })
  tags?: string[];
  @EnumListField(METHODS, { optional: true }) methods?: HttpMethod[];
  @TextListField({
    optional: true,
    itemMax: 1_024,
    description: 'Paths, or prefixes of paths followed by `*`.',
    example: ['/pets*'],
  })
  paths?: string[];
}

/**
 * An administrator's selection of a document's operations. Operations are named by their ids, or as
 * `method path`.
 */
export class OpenApiSelectionFields {
  @NestedField(() => OperationFilterDto, {
    optional: true,
    nullable: true,
    description:
      'Operations that match all members become tools. Null or {}: all GET operations. Absent in an update: unchanged.',
  })
  include?: OperationFilterDto | null;
  @NestedField(() => OperationFilterDto, { optional: true, nullable: true })
  exclude?: OperationFilterDto | null;
  @MapField({
    optional: true,
    maxEntries: 100,
    keyMax: 1_100,
    valueMax: 64,
    description: 'Tool names by operation.',
    example: { 'get /pets': 'list_pets' },
  })
  aliases?: Record<string, string>;
  @TextListField({
    optional: true,
    itemMax: 1_100,
    description: 'Operations that change nothing although their HTTP methods suggest otherwise.',
    example: ['post /pets/search'],
  })
  read_only?: string[];
  @BooleanField({
    optional: true,
    description: 'Whether tools have an output schema. Default: true. Absent in an update: unchanged.',
  })
  output_schemas?: boolean;
}

class OpenApiFields extends OpenApiSelectionFields {
  @SpecField() spec?: unknown;
  @TextField({
    optional: true,
    max: 2_048,
    description: 'Address of the document. It is read now and every 15 minutes, without a credential.',
    example: 'https://api.example.com/openapi.json',
  })
  spec_url?: string;
}

export class UpdateOpenApiDto extends partialOf(OpenApiFields) {}

export class OpenApiQuery {
  @QueryBooleanField({ description: 'True adds the text of the document to the response.' })
  document?: boolean;
}

export class CreateOpenApiDto extends omitOf(CreateMcpIntegrationDto, 'url', 'transport') {
  @NestedField(() => OpenApiFields) openapi!: OpenApiFields;
  @TextField({
    optional: true,
    max: 2_048,
    description:
      'URL of the service. Default: the first server of the document. An integration with credentials needs it, unless that server has the origin of spec_url.',
    example: 'https://api.example.com/v1',
  })
  base_url?: string;
  @MapField({
    optional: true,
    maxEntries: 20,
    description: 'Values for the variables of that server, each from its enum.',
    example: { region: 'eu' },
  })
  server_variables?: Record<string, string>;
  @BooleanField({
    optional: true,
    description: 'False: nothing is saved, and the response shows the result. Default: true.',
  })
  commit?: boolean;
}
