import { matchesUriTemplate } from './uri-template';

/** A resource, or a template of resources, of a member as clients see it. */
export interface MappedUri {
  readonly shown: string;
  readonly server: string;
  readonly original: string;
}

const URIS_MAX = 50_000;
const UI_SCHEME = 'ui://';

/**
 * Maps the URIs of all members to distinct ones. URIs stay as they are, unless an earlier member
 * offers the same one: then `gw+<server>:<uri>`. URIs of user interfaces (`ui://`) always have the
 * server in front of their host. At most 50,000; more are left out. Nothing is fetched.
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
      const shown = byShown.has(plain) ? secondOf(server) + plain : plain;
      if (!byShown.has(shown)) byShown.set(shown, { shown, server, original });
    }
  }
  return byShown;
}

const uiOf = (server: string): string => `${UI_SCHEME}${server}.`;
const secondOf = (server: string): string => `gw+${server}:`;

/** The member's own URI of a shown URI that matches a shown template of it. */
export function originalUri({ shown, original, server }: MappedUri, uri: string): string {
  const second = shown === original ? '' : secondOf(server);
  const plain = shown.startsWith(second) && uri.startsWith(second) ? uri.slice(second.length) : uri;
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
 * The shown form of each URI of a server, listed or of a template: its own one, unless the maps show
 * it differently.
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
    return renamed.some((template) => matchesUriTemplate(template, uri)) ? secondOf(server) + uri : uri;
  };
}
