import { configInvalid, type ConfigErrorDetail } from '@gw/config-schema';
import { IntegrationEntity, IntegrationModelEntity, ProviderEntity } from '@gw/entities';
import { In, Not, type EntityManager } from 'typeorm';

type Node = Readonly<Record<string, unknown>>;

interface Host {
  readonly host: string;
  /** Path of the `custom_host` member in the config. */
  readonly path: string;
}

/** A saved provider and the host that the config gives for it. */
interface Pair extends Host {
  readonly slug: string;
}

/**
 * Throws `config_invalid` if a valid config combines a saved provider with a host that is not saved
 * with that provider. The gateway would refuse every such request, because it sends a saved
 * credential only to a saved host.
 */
export async function assertHostsStay(
  manager: EntityManager,
  workspaceId: string,
  config: Node,
): Promise<void> {
  const pairs = pairsIn(config, [], null);
  if (pairs.length === 0) return;
  const hosts = await savedHosts(manager, workspaceId, [...new Set(pairs.map(({ slug }) => slug))]);
  const faults = pairs
    .filter(({ slug, host }) => hosts.get(slug)?.has(normalised(host)) !== true)
    .map(({ slug, path }): ConfigErrorDetail => ({
      path,
      message: `must be the host that is saved with the provider @${slug}, because its credential is sent to no other host; change or remove it`,
      rule: 'saved_host',
      value: '(hidden)',
    }));
  if (faults.length > 0) throw configInvalid(faults);
}

/**
 * Returns the pairs of saved provider and host in a config. The config must be valid, so that its
 * nesting is bounded.
 */
function pairsIn(node: Node, path: readonly (string | number)[], inheritedHost: Host | null): Pair[] {
  const customHost = node['custom_host'];
  const currentHost =
    typeof customHost === 'string'
      ? { host: customHost, path: [...path, 'custom_host'].join('.') }
      : inheritedHost;
  const slug = slugOf(node);
  const { embeddings } = (node['cache'] ?? {}) as { readonly embeddings?: Node };
  const targets = Array.isArray(node['targets']) ? (node['targets'] as Node[]) : [];
  return [
    ...(slug !== null && currentHost !== null ? [{ slug, ...currentHost }] : []),
    ...(embeddings ? pairsIn(embeddings, [...path, 'cache', 'embeddings'], null) : []),
    ...targets.flatMap((target, i) => pairsIn(target, [...path, 'targets', i], currentHost)),
  ];
}

function slugOf({ provider, virtual_key: virtualKey }: Node): string | null {
  if (typeof provider === 'string')
    return provider.startsWith('@') ? (provider.slice(1).split('/')[0] ?? '') : null;
  return typeof virtualKey === 'string' ? virtualKey : null;
}

/** Returns the saved hosts of the providers and of their models, by provider slug. */
async function savedHosts(
  manager: EntityManager,
  workspaceId: string,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const providers = await manager.findBy(ProviderEntity, {
    workspaceId,
    slug: In([...slugs]),
    status: Not<ProviderEntity['status']>('archived'),
  });
  const ids = providers.map(({ integrationId }) => integrationId);
  const integrations = await manager.findBy(IntegrationEntity, { id: In(ids) });
  const models = await manager.findBy(IntegrationModelEntity, { integrationId: In(ids) });
  const hostsOf = (id: string): ReadonlySet<string> => {
    const own = integrations.find((integration) => integration.id === id)?.configurations['custom_host'];
    const all = [
      own,
      ...models.filter(({ integrationId }) => integrationId === id).map((row) => row.customHost),
    ];
    return new Set(all.flatMap((host) => (typeof host === 'string' ? [normalised(host)] : [])));
  };
  return new Map(providers.map(({ slug, integrationId }) => [slug, hostsOf(integrationId)]));
}

/** Normalises a URL, so that two URLs that gateways treat as the same host are equal. */
function normalised(host: string): string {
  const { origin, pathname } = new URL(host);
  return origin + pathname.replace(/(?<!\/)\/+$/, '');
}
