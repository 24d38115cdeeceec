import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownObject } from './message';

type Change = (uri: string) => string;

/**
 * Returns a result with `change` applied to the resource URIs in its `content`, `messages` and
 * `contents`.
 */
export function withUris(result: JsonObject, change: Change): JsonObject {
  const changed: Record<string, unknown> = { ...result };
  for (const list of ['content', 'contents'] as const)
    if (Array.isArray(changed[list])) changed[list] = partsWith(changed[list], change);
  if (Array.isArray(changed['messages']))
    changed['messages'] = (changed['messages'] as readonly unknown[]).map((message) =>
      isObject(message) && isObject(message['content'])
        ? { ...message, content: partWith(message['content'], change) }
        : message,
    );
  return changed;
}

/**
 * Returns the definition of a tool with `change` applied to the URI of its user interface (MCP
 * Apps).
 */
export function withUiUri(definition: JsonObject, change: Change): JsonObject {
  const meta = ownObject(definition, '_meta');
  const [ui, uri] = [own(meta, 'ui'), own(meta, UI_MEMBER)];
  const changed = {
    ...(isObject(ui) && { ui: uriWith(ui, 'resourceUri', change) }),
    ...(typeof uri === 'string' && { [UI_MEMBER]: change(uri) }),
  };
  return Object.keys(changed).length === 0 ? definition : { ...definition, _meta: { ...meta, ...changed } };
}

/** Member that holds the URI in earlier revisions of the extension. */
const UI_MEMBER = 'ui/resourceUri';

const partsWith = (parts: readonly unknown[], change: Change): readonly unknown[] =>
  parts.map((part) => (isObject(part) ? partWith(part, change) : part));

/**
 * Changes the URIs of a resource link, of the contents of a resource, or of a part with an embedded
 * resource.
 */
function partWith(part: JsonObject, change: Change): JsonObject {
  const resource = own(part, 'resource');
  const whole = uriWith(part, 'uri', change);
  return isObject(resource) ? { ...whole, resource: uriWith(resource, 'uri', change) } : whole;
}

function uriWith(of: JsonObject, member: string, change: Change): JsonObject {
  const uri = own(of, member);
  return typeof uri === 'string' ? { ...of, [member]: change(uri) } : of;
}
