import { keyringOf, type Keyring } from '@gw/kernel';
import { NO_CAPABILITIES } from '../http/client-capabilities';
import { receive } from '../http/receive';
import { NOW, RING } from '../spec-support/endpoint';
import { faultOf, vectors } from '../spec-support/vectors';
import { principalBinding, type McpPrincipal } from './principal';
import { newSessionId, openSessionId } from './session-id';

const ALICE: McpPrincipal = { kind: 'user', userId: 'alice', clientId: 'c1' };

interface Attempt {
  readonly id: string | readonly string[];
  readonly principal?: McpPrincipal;
  readonly server?: string;
  readonly now?: number;
  readonly ring?: Keyring;
}

const made = (ring = RING): string =>
  newSessionId(
    ring,
    { principal: principalBinding(ALICE), serverId: 's1' },
    { revision: '2025-11-25', capabilities: NO_CAPABILITIES },
    { now: NOW },
  );

function status({ id, principal = ALICE, server = 's1', now = NOW + 1, ring = RING }: Attempt): number {
  const headers = {
    accept: '*/*',
    'content-type': 'application/json',
    'mcp-session-id': id,
  };
  const owner = { principal: principalBinding(principal), serverId: server };
  const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  const fault = faultOf(() =>
    receive({ method: 'POST', headers, body }, (text) => openSessionId(ring, owner, text, now)),
  );
  return fault?.status ?? 200;
}

const flipped = (text: string, at: number): string => {
  const other = text[at] === 'A' ? 'B' : 'A';
  return text.slice(0, at) + other + text.slice(at + 1);
};

const ATTEMPTS: Readonly<Record<string, () => Attempt>> = {
  'own session': () => ({ id: made() }),
  'session of the same user with another client': () => ({
    id: made(),
    principal: { ...ALICE, clientId: 'c2' },
  }),
  'session for another server': () => ({ id: made(), server: 's2' }),
  'one bit flipped': () => ({ id: flipped(made(), made().length - 2) }),
  'client-chosen id "abc"': () => ({ id: 'abc' }),
  'id with a space': () => ({ id: 'a b' }),
  'id of 5,000 characters': () => ({ id: 'a'.repeat(5_000) }),
  'id after its expiry (30 d)': () => ({ id: made(), now: NOW + 30 * 86_400_000 }),
  // No process stores anything, so another or a restarted process only needs the key.
  'own session on another gateway': () => ({ id: made(), ring: keyringOf('mcp/v1', Buffer.alloc(32, 1)) }),
  'own session after both gateways restarted': () => ({
    id: made(),
    ring: keyringOf('mcp/v1', Buffer.alloc(32, 1)),
  }),
  'sealed with the previous installation key': () => ({
    id: made(),
    ring: keyringOf('mcp/v1', Buffer.alloc(32, 2), Buffer.alloc(32, 1)),
  }),
  'two session headers': () => ({ id: [made(), made()] }),
};

/**
 * Cases of checks that run before the session id is opened: of the credential and of the server's
 * state.
 */
const NEED_PROCESSES = ['mcp-169', 'mcp-170'];

interface SessionCase {
  readonly input: { readonly session: string };
  readonly expect: { readonly status: string };
}

describe('session ids', () => {
  it.each(vectors<SessionCase>('session', NEED_PROCESSES))(
    '%s %s',
    (_id, _reason, { input, expect: wanted }) => {
      const attempt = ATTEMPTS[input.session]?.() ?? { id: '' };
      expect(wanted.status.split(' or ').map((text) => Number.parseInt(text, 10))).toContain(status(attempt));
    },
  );

  it('are refused if any single character is changed', () => {
    const id = made();
    expect(id.length).toBeLessThanOrEqual(512);
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    for (let at = 0; at < id.length; at += 1) expect(status({ id: flipped(id, at) })).toBe(404);
  });

  it('differ for principals of different kinds with the same parts', () => {
    const bindings = [
      principalBinding({ kind: 'key', keyId: 'a' }),
      principalBinding({ kind: 'user', userId: 'a', clientId: '' }),
      principalBinding({ kind: 'user', userId: 'alic', clientId: 'ec1' }),
      principalBinding(ALICE),
      principalBinding({ kind: 'workload', trustId: 'alice', subject: 'c1' }),
    ];
    expect(new Set(bindings).size).toBe(bindings.length);
  });
});
