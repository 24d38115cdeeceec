import { isObject } from '@gw/kernel';
import { list as listSchema, object as objectSchema } from '../openapi/schema';
import { documented, integer, list, metadata, named, object, rule, text } from './rules';
import { kindOf } from './violations';

const texts = list(text);

const isPart = (item: unknown): boolean => isObject(item) && typeof item['type'] === 'string';

const CONTENT = {
  anyOf: [text.schema, { ...listSchema(objectSchema({ type: text.schema }, ['type'])), minItems: 1 }],
};

/** A text, or an array of typed parts, which providers accept for images. */
const content = rule(CONTENT, (value, path, found) => {
  if (typeof value === 'string') return;
  if (Array.isArray(value) && value.length > 0 && value.every(isPart)) return;
  found.add(path, 'must be a string', kindOf(value));
});

/** Body of `POST /threads/{thread_id}/messages`, and an item of a thread's `messages`. */
export const messageBody = named(
  'ThreadMessageRequest',
  object({
    role: text,
    content,
    attachments: list(object({ file_id: text, tools: list(object({ type: text })) })),
    metadata,
  }),
);

export const toolResources = named(
  'ToolResources',
  object({
    code_interpreter: object({ file_ids: texts }),
    file_search: object({
      vector_store_ids: texts,
      vector_stores: list(object({ file_ids: texts, chunking_strategy: object({ type: text }), metadata })),
    }),
  }),
);

/** Body of `POST /threads` and of `POST /threads/{thread_id}`. */
export const threadBody = named(
  'CreateThreadRequest',
  object({
    messages: list(messageBody),
    tool_resources: toolResources,
    metadata,
  }),
);

export const metadataBody = named('MetadataRequest', object({ metadata }));

/** `max_num_results` of a file search, in a tool or in a vector store search. */
export const maxNumResults = integer(1, 50);

/** Body of `POST /vector_stores/{vector_store_id}/search`. */
export const searchBody = named(
  'VectorStoreSearchRequest',
  object({ max_num_results: documented(maxNumResults, { description: '1 to 50.' }) }),
);
