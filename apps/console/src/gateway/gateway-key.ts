import { call } from '../api';

/** A key of the session for requests from this browser to the gateway. */
export interface GatewayKey {
  /** Secret of the key, in memory only: never in browser storage or the query cache. */
  readonly key: string;
  /** Base URL of the gateway, such as `https://gateway.example.com/v1`. */
  readonly baseUrl: string;
}

interface HeldKey {
  readonly key: Promise<GatewayKey>;
  /** Unix milliseconds after which another key is requested. */
  until: number;
}

/**
 * Keys are replaced this long before their expiry, so that a request does not use one that is about
 * to expire.
 */
const SPARE_MS = 60_000;
const held = new Map<string, HeldKey>();

/**
 * Returns the playground key of a workspace. Creates one when there is none or it is about to
 * expire. Rejects with a `Problem`.
 */
export function gatewayKey(workspaceId: string): Promise<GatewayKey> {
  const known = held.get(workspaceId);
  if (known !== undefined && known.until > Date.now()) return known.key;
  const made: HeldKey = { key: make(workspaceId), until: Infinity };
  held.set(workspaceId, made);
  return made.key;

  async function make(id: string): Promise<GatewayKey> {
    try {
      const { data, headers } = await call('playgroundKeys_create', {}, { body: { workspace_id: id } });
      // By the clock of the server, because the clock of this machine may be wrong.
      const sent = Date.parse(headers.get('date') ?? '');
      const ahead = Number.isNaN(sent) ? 0 : Date.now() - sent;
      made.until = Date.parse(data.expires_at) + ahead - SPARE_MS;
      return { key: data.key, baseUrl: data.base_url };
    } catch (error) {
      held.delete(id);
      throw error;
    }
  }
}

/** Drops a key that the gateway has refused. */
export const forgetGatewayKey = (workspaceId: string): void => void held.delete(workspaceId);
