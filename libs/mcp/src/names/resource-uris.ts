import { matchesUriTemplate } from './uri-template';

/** The URI or URI template of a member's resource, and the form that clients see. */
export interface MappedUri {
  readonly shown: string;
  readonly server: string;
  readonly original: string;
}

const URIS_MAX = 50_000;
const UI_SCHEME = 'ui://';

/**
 * Maps the URIs of all members to distinct ones. A URI stays as it is unless an earlier member has
 * the same one; then it becomes `gw+<server>:<uri>`. In URIs of user interfaces (`ui://`) the
 * server always precedes the host. URIs after the first 50,000 are left out. Fetches nothing.
 */
export function mapUris(
  members: readonly { readonly server: string; readonly uris: readonly string[] }[],
): ReadonlyMap<string, MappedUri> {
  const byShown = new Map<string, MappedUri>();
  for (const { server, uris } of members) {
    for (const original of new Set(uris)) {
      if (byShown.size >= URIS_MAX) return byShown;
      const plain = original.startsWith(UI_SCHEME)
        ? uiOf(server) + original.slice(UI_SCHEME.length)
        : original;
      const shown = byShown.has(plain) ? collisionPrefix(server) + plain : plain;
      if (!byShown.has(shown)) byShown.set(shown, { shown, server, original });
    }
  }
  return byShown;
}

const uiOf = (server: string): string => `${UI_SCHEME}${server}.`;
const collisionPrefix = (server: string): string => `gw+${server}:`;

/**
 * Converts a URI that matches a member's shown template back to the member's own URI; null for
 * another URI. `gw+<server>:` is accepted for every template, because another member may list one
 * of the template's URIs.
 */
export function originalUri({ shown, original, server }: MappedUri, uri: string): string | null {
  const prefix = collisionPrefix(server);
  if (!matchesUriTemplate(shown, uri)) {
    const memberUri = shown === original && uri.startsWith(prefix) ? uri.slice(prefix.length) : null;
    return memberUri !== null && matchesUriTemplate(original, memberUri) ? memberUri : null;
  }
  const before = shown === original ? '' : prefix;
  const plain = shown.startsWith(before) && uri.startsWith(before) ? uri.slice(before.length) : uri;
  return original.startsWith(UI_SCHEME) && plain.startsWith(uiOf(server))
    ? UI_SCHEME + plain.slice(uiOf(server).length)
    : plain;
}

/** Resources and templates of all members by their shown forms. */
export interface MappedResources {
  readonly resource: ReadonlyMap<string, MappedUri>;
  readonly resource_template: ReadonlyMap<string, MappedUri>;
}

/**
 * Returns a function that returns the form in which clients see a URI of the server: its own form,
 * unless the maps show it differently or another member lists it.
 */
export function shownUris(maps: MappedResources, server: string): (uri: string) => string {
  const ofServer = (map: ReadonlyMap<string, MappedUri>): MappedUri[] =>
    [...map.values()].filter((mapped) => mapped.server === server);
  const listed = new Map(ofServer(maps.resource).map(({ original, shown }) => [original, shown]));
  const renamed = ofServer(maps.resource_template)
    .filter(({ original, shown }) => shown !== original && !original.startsWith(UI_SCHEME))
    .map(({ original }) => original);
  return (uri) => {
    const known = listed.get(uri);
    if (known !== undefined) return known;
    if (uri.startsWith(UI_SCHEME)) return uiOf(server) + uri.slice(UI_SCHEME.length);
    const isOther = (maps.resource.get(uri)?.server ?? server) !== server;
    return isOther || renamed.some((template) => matchesUriTemplate(template, uri))
      ? collisionPrefix(server) + uri
      : uri;
  };
}
