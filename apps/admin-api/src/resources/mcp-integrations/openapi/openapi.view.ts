import type { McpOpenApiDocumentEntity } from '@gw/entities';
import { METHODS } from '@gw/mcp';
import { ResponseField } from '@gw/web';

class OpenApiToolResponse {
  @ResponseField.text({ example: 'list_pets' }) readonly name!: string;
  @ResponseField.text({ example: 'get /pets' }) readonly operation!: string;
}

class SkippedOperationResponse {
  @ResponseField.text({ example: 'post /pets/photo' }) readonly operation!: string;
  @ResponseField.text({ example: 'Only bodies in JSON and forms are supported.' }) readonly reason!: string;
}

class OpenApiOperationResponse {
  @ResponseField.text({ example: 'get /pets' }) readonly operation!: string;
  @ResponseField.text({ nullable: true, example: 'listPets' }) readonly operation_id!: string | null;
  @ResponseField.oneOf(METHODS) readonly method!: string;
  @ResponseField.text({ example: '/pets' }) readonly path!: string;
  @ResponseField.texts({ example: ['pets'] }) readonly tags!: readonly string[];
  @ResponseField.boolean() readonly selected!: boolean;
}

/** Tools derived from a document. */
class OpenApiResultResponse {
  @ResponseField.list(() => OpenApiToolResponse) readonly tools!: readonly OpenApiToolResponse[];
  @ResponseField.list(() => SkippedOperationResponse, {
    description: 'Selected operations that cannot be tools.',
  })
  readonly skipped!: readonly SkippedOperationResponse[];
}

class OpenApiWarningResponse {
  @ResponseField.text({ example: 'openapi.include' }) readonly path!: string;
  @ResponseField.text({ example: '240 operations are selected; select at most 100.' })
  readonly message!: string;
}

export class CreatedOpenApiResponse extends OpenApiResultResponse {
  @ResponseField.uuid({ nullable: true, description: 'The saved integration; null when nothing was saved.' })
  readonly id!: string | null;
  @ResponseField.text({ nullable: true, example: 'pets' }) readonly slug!: string | null;
  @ResponseField.text({ nullable: true, example: 'https://api.example.com/v1' })
  readonly base_url!: string | null;
  @ResponseField.texts({
    description: 'The first 20 servers in the document.',
    example: ['https://api.example.com/v1'],
  })
  readonly servers!: readonly string[];
  @ResponseField.list(() => OpenApiOperationResponse, {
    optional: true,
    description: 'With `commit: false`: the first 1,000 operations of the document.',
  })
  readonly operations?: readonly OpenApiOperationResponse[];
  @ResponseField.list(() => OpenApiWarningResponse, {
    optional: true,
    description: 'With `commit: false`: faults that prevent the selection from being saved.',
  })
  readonly warnings?: readonly OpenApiWarningResponse[];
}

export class UpdatedOpenApiResponse extends OpenApiResultResponse {}

export class OpenApiResponse {
  @ResponseField.json({ nullable: true, example: { tags: ['pets'] } })
  readonly include!: Readonly<Record<string, unknown>> | null;
  @ResponseField.json({ nullable: true, example: { paths: ['/admin*'] } })
  readonly exclude!: Readonly<Record<string, unknown>> | null;
  @ResponseField.map({ example: { 'get /pets': 'list_pets' } })
  readonly aliases!: Readonly<Record<string, string>>;
  @ResponseField.texts({ example: ['post /pets/search'] }) readonly read_only!: readonly string[];
  @ResponseField.boolean() readonly output_schemas!: boolean;
  @ResponseField.text({ nullable: true, example: 'https://api.example.com/openapi.json' })
  readonly spec_url!: string | null;
  @ResponseField.text({
    optional: true,
    description: 'With `document=true`: the text of the document that was last sent or read.',
    example: '{"openapi":"3.1.0","paths":{"/pets":{"get":{"operationId":"listPets"}}}}',
  })
  readonly document?: string;
  @ResponseField.text({ description: 'SHA-256 of the document, hexadecimal.', example: 'a'.repeat(64) })
  readonly digest!: string;
  @ResponseField.time({ description: 'When the document was last sent or read.' })
  readonly read_at!: string;
  @ResponseField.list(() => SkippedOperationResponse)
  readonly skipped!: readonly SkippedOperationResponse[];
}

export const toOpenApi = ({
  url: specUrl,
  selection,
  digest,
  readAt,
  skipped,
}: McpOpenApiDocumentEntity): OpenApiResponse => {
  const { include, exclude, ...rest } = selection;
  return {
    ...rest,
    ...{ include: include && { ...include }, exclude: exclude && { ...exclude } },
    ...{ spec_url: specUrl, digest, read_at: readAt.toISOString(), skipped },
  };
};
