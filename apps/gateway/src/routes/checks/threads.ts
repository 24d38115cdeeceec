import { isObject } from '../../http/json-body';
import { integer, list, metadata, object, text, type Rule } from './rules';
import { kindOf } from './violations';

const texts = list(text);

const isPart = (item: unknown): boolean => isObject(item) && typeof item['type'] === 'string';

/** A text; also the array of typed parts that providers take for images. */
const content: Rule = (value, path, found) => {
  if (typeof value === 'string') return;
  if (Array.isArray(value) && value.length > 0 && value.every(isPart)) return;
  found.add(path, 'must be a string', kindOf(value));
};

/** Body of `POST /threads/{thread_id}/messages`, and an item of a thread's `messages`. */
export const messageBody = object({
  role: text,
  content,
  attachments: list(object({ file_id: text, tools: list(object({ type: text })) })),
  metadata,
});

export const toolResources = object({
  code_interpreter: object({ file_ids: texts }),
  file_search: object({
    vector_store_ids: texts,
    vector_stores: list(object({ file_ids: texts, chunking_strategy: object({ type: text }), metadata })),
  }),
});

/** Body of `POST /threads` and of `POST /threads/{thread_id}`. */
export const threadBody = object({
  messages: list(messageBody),
  tool_resources: toolResources,
  metadata,
});

export const metadataBody = object({ metadata });

/** `max_num_results` of a file search, as a tool and as a search of a vector store. */
export const maxNumResults = integer(1, 50);

/** Body of `POST /vector_stores/{vector_store_id}/search`. */
export const searchBody = object({ max_num_results: maxNumResults });
