import { constant, object, orNull, ref, text, unixSeconds, type Schema } from './schema';

export const THREAD_SCHEMAS: Readonly<Record<string, Schema>> = {
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
};
