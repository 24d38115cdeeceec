import { operationTypeOf } from '@gw/guardrails';
import { familyOfPath } from '../routes/plain-path';
import type { Route } from '../routes/route-table';

/** What conditions of policies call the routes that are named otherwise there than by guardrails; null: no condition can name it. */
const OWN: Readonly<Record<string, string | null>> = {
  passthrough: 'proxy',
  'prompts.completions': 'chatComplete',
  'messages.count_tokens': null,
  ocr: null,
  'images.edits': null,
  'images.variations': null,
};

/** A passthrough request is also of the type whose path it has. Empty: no condition can name it. */
export function endpointTypesOf({ name, kind, upstreamPath }: Route): readonly string[] {
  const own = endpointTypeOf(name);
  const family = kind === 'passthrough' ? familyOfPath(upstreamPath) : '';
  const byPath = family === '' ? null : endpointTypeOf(BY_FAMILY[family] ?? family);
  return [own, byPath].filter((type) => type !== null);
}

/** What a POST to a family's own path does, where the family has several operations. */
const BY_FAMILY: Readonly<Record<string, string>> = { responses: 'responses.create' };

/** Null: no condition can name it. */
export const endpointTypeOf = (routeName: string): string | null => {
  const own = Object.hasOwn(OWN, routeName) ? OWN[routeName] : undefined;
  return own === undefined ? operationTypeOf(routeName) : own;
};
