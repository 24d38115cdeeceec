import { call } from '../api';

/** A key of the session for requests from this browser to the gateway. */
export interface GatewayKey {
  /** In memory only: never stored, never in the cache of reads. */
  readonly key: string;
  /** Base URL of the gateway, such as `https://gateway.example.com/v1`. */
  readonly baseUrl: string;
}

interface Held {
  readonly key: Promise<GatewayKey>;
  /** Milliseconds since 1970 after which another one is requested. */
  until: number;
}

/** A key that ends during a long response would be refused at its next request only, yet soon. */
const SPARE_MS = 60_000;
const held = new Map<string, Held>();

/** The playground key of a workspace; made once and again before it expires. Rejects with a `Problem`. */
export function gatewayKey(workspaceId: string): Promise<GatewayKey> {
  const known = held.get(workspaceId);
  if (known !== undefined && known.until > Date.now()) return known.key;
  const made: Held = { key: make(workspaceId), until: Infinity };
  held.set(workspaceId, made);
  return made.key;

  async function make(id: string): Promise<GatewayKey> {
    try {
      const { data } = await call('playgroundKeys_create', {}, { body: { workspace_id: id } });
      made.until = Date.parse(data.expires_at) - SPARE_MS;
      return { key: data.key, baseUrl: data.base_url };
    } catch (error) {
      held.delete(id);
      throw error;
    }
  }
}

/** Forgets a key, after the gateway refused it. */
export const forgetGatewayKey = (workspaceId: string): void => void held.delete(workspaceId);
