import { operationTypeOf } from '@gw/guardrails';

/** What conditions of policies call the routes that are named otherwise there than by guardrails; null: no condition can name it. */
const OWN: Readonly<Record<string, string | null>> = {
  passthrough: 'proxy',
  'prompts.completions': 'chatComplete',
  'messages.count_tokens': null,
  ocr: null,
  'images.edits': null,
  'images.variations': null,
};

/** Null: no condition can name it. */
export const endpointTypeOf = (routeName: string): string | null => {
  const own = Object.hasOwn(OWN, routeName) ? OWN[routeName] : undefined;
  return own === undefined ? operationTypeOf(routeName) : own;
};
