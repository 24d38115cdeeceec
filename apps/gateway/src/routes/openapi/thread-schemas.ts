import {
  constant,
  described,
  between,
  list,
  object,
  orNull,
  ref,
  request,
  text,
  unixSeconds,
  type Schema,
} from './schema';

const textOrParts = (maxItems?: number): Schema => ({
  anyOf: [text, { ...list(object({ type: text }, ['type']), maxItems), minItems: 1 }],
});

export const THREAD_SCHEMAS: Readonly<Record<string, Schema>> = {
  Metadata: {
    type: 'object',
    description: 'Up to 16 pairs; keys of up to 64 and values of up to 512 characters.',
    maxProperties: 16,
    propertyNames: { maxLength: 64 },
    additionalProperties: { type: 'string', maxLength: 512 },
  },
  Thread: object(
    {
      id: text,
      object: constant('thread'),
      created_at: unixSeconds,
      tool_resources: orNull(ref('ToolResources')),
      metadata: orNull(ref('Metadata')),
    },
    ['id', 'object', 'created_at'],
  ),
  ToolResources: request({
    code_interpreter: request({ file_ids: list(text) }),
    file_search: request({
      vector_store_ids: list(text),
      vector_stores: list(
        request({
          file_ids: list(text),
          chunking_strategy: request({ type: text }),
          metadata: ref('Metadata'),
        }),
      ),
    }),
  }),
  ThreadMessageRequest: request({
    role: text,
    content: textOrParts(),
    attachments: list(request({ file_id: text, tools: list(request({ type: text })) })),
    metadata: ref('Metadata'),
  }),
  CreateThreadRequest: request({
    messages: list(ref('ThreadMessageRequest')),
    tool_resources: ref('ToolResources'),
    metadata: ref('Metadata'),
  }),
  MetadataRequest: request({ metadata: ref('Metadata') }),
  AssistantRequest: request({
    tools: list(ref('RunTool')),
    tool_resources: ref('ToolResources'),
    metadata: ref('Metadata'),
  }),
  VectorStoreSearchRequest: request({
    max_num_results: described(between('integer', 1, 50), '1 to 50.'),
  }),
};
