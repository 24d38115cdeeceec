/** A resource of a member as clients see it. */
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
        ? `${UI_SCHEME}${server}.${original.slice(UI_SCHEME.length)}`
        : original;
      const shown = byShown.has(plain) ? `gw+${server}:${plain}` : plain;
      if (!byShown.has(shown)) byShown.set(shown, { shown, server, original });
    }
  }
  return byShown;
}
