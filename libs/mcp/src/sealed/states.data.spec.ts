import { readCapabilities } from '../http/client-capabilities';
import type { JsonObject } from '../protocol';
import { McpFault } from '../fault';
import { NOW, RING } from '../spec-support/endpoint';
import { vectors } from '../spec-support/vectors';
import { ParkedCalls } from './parked-calls';
import { sealState, type InputRequest, type RequestState, type StateOwner } from './request-state';
import { readRetry } from './retry';

const REQUEST: InputRequest = {
  method: 'elicitation/create',
  params: { message: 'Which?', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } },
};
const STATE: RequestState = {
  kind: 'parked',
  requests: { r1: REQUEST },
  upstreamState: null,
  parked: { replica: 'g1', call: 'call-1' },
};
const OWNER: StateOwner = {
  principal: 'p1',
  serverId: 's1',
  method: 'tools/call',
  params: { name: 't', arguments: { b: 1, a: 2 } },
};
const sealed = (owner: StateOwner = OWNER): string => sealState(RING, owner, STATE, NOW) ?? '';
const RESPONSES = { r1: { action: 'accept', content: { a: 'x' } } };

interface Attempt {
  readonly state: unknown;
  readonly responses?: JsonObject | undefined;
  readonly owner?: StateOwner;
  readonly capabilities?: JsonObject;
  readonly now?: number;
  readonly parked?: ParkedCalls<string>;
  readonly times?: number;
}

const parkedCalls = (): ParkedCalls<string> => {
  const calls = new ParkedCalls<string>();
  calls.park('call-1', 'p1', 'the call', NOW);
  return calls;
};

/** Returns what the last of several attempts to redeem a parked call finds. */
function found(
  { parked = parkedCalls(), owner = OWNER, times = 1 }: Attempt,
  call: string,
  now: number,
): string {
  const kinds = Array.from({ length: times }, () => parked.redeem(call, owner.principal, now).kind);
  return kinds.at(-1) ?? 'gone';
}

/** Returns how a retry is read, and for a parked call also what its last attempt finds. */
function outcome(attempt: Attempt): string {
  const { state, responses = RESPONSES, owner = OWNER, capabilities = { elicitation: {} } } = attempt;
  const params = {
    ...owner.params,
    // The order of members does not change the arguments.
    arguments: { a: 2, b: 1 },
    ...(state !== undefined && { requestState: state }),
    inputResponses: responses,
  };
  const now = attempt.now ?? NOW + 1_000;
  try {
    const retry = readRetry({
      ring: RING,
      owner: { ...owner, params },
      capabilities: readCapabilities(capabilities),
      now,
    });
    return retry.kind === 'resume' ? found(attempt, retry.state.parked?.call ?? '', now) : retry.kind;
  } catch (error) {
    if (error instanceof McpFault) return String(error.code);
    throw error;
  }
}

const ATTEMPTS: Readonly<Record<string, () => Attempt>> = {
  'echoed exactly': () => ({ state: sealed() }),
  'one bit flipped': () => ({ state: `${sealed().slice(0, -2)}${sealed().at(-2) === 'A' ? 'B' : 'A'}A` }),
  'missing although the result had one': () => ({ state: undefined }),
  'of another principal': () => ({ state: sealed(), owner: { ...OWNER, principal: 'p2' } }),
  'of another tool': () => ({ state: sealed(), owner: { ...OWNER, params: { ...OWNER.params, name: 'u' } } }),
  'of prompts/get used at tools/call': () => ({ state: sealed({ ...OWNER, method: 'prompts/get' }) }),
  'older than 15 min': () => ({ state: sealed(), now: NOW + 15 * 60_000 }),
  'used a second time after the call ended': () => ({ state: sealed(), times: 2 }),
  'parked call, its gateway killed': () => ({ state: sealed(), parked: new ParkedCalls<string>() }),
  '65 KiB of text': () => ({ state: 'x'.repeat(65 * 1_024) }),
  'state of the upstream, unwrapped': () => ({ state: 'upstream-state' }),
  'with inputResponses of the wrong kind': () => ({ state: sealed(), responses: { r1: { roots: [] } } }),
  'without inputResponses': () => ({ state: sealed(), responses: {} }),
  'client without the capability retries': () => ({ state: sealed(), capabilities: {} }),
};

/** Outcomes by the sentence that a case expects. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  accept: ['found'],
  reject: ['-32602'],
  'new input_required or reject': ['new', '-32602'],
  'tool error, nothing runs twice': ['answered'],
  'tool error "interrupted"': ['gone'],
  'reject or asked again': ['-32602', 'require_again'],
  'asked again': ['require_again'],
  'reject -32021 or tool error': ['-32021'],
};

interface StateCase {
  readonly input: { readonly requestState: string };
  readonly expect: string;
}

describe('request states', () => {
  it.each(vectors<StateCase>('state'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const attempt = ATTEMPTS[input.requestState];
    if (attempt === undefined) throw new Error(`no attempt for ${input.requestState}`);
    expect(WANTED[wanted] ?? []).toContain(outcome(attempt()));
  });

  it('are not sealed above 64 KiB, so that no client has to send more', () => {
    const upstreamState = 'x'.repeat(65_536);
    expect(sealState(RING, OWNER, { ...STATE, upstreamState }, NOW)).toBeNull();
  });
});

describe('parked calls', () => {
  it('are bounded for each principal and in total, and make room when they expire', () => {
    const calls = new ParkedCalls<number>();
    for (let at = 0; at < 5; at += 1) expect(calls.park(`a${String(at)}`, 'a', at, NOW)).toBe(true);
    expect(calls.park('a5', 'a', 5, NOW)).toBe(false);
    expect([calls.displace('a'), calls.displace('b')]).toEqual([0, null]);
    expect(calls.park('a5', 'a', 5, NOW)).toBe(true);
    for (let at = 0; at < 95; at += 1)
      expect(calls.park(`${String(at)}`, `p${String(at)}`, at, NOW)).toBe(true);
    expect(calls.park('b', 'b', 1, NOW)).toBe(false);
    expect(calls.expire(NOW + 600_000)).toHaveLength(100);
    expect(calls.park('b', 'b', 1, NOW + 600_000)).toBe(true);
  });

  it('are redeemed only by their principal', () => {
    const calls = parkedCalls();
    expect(calls.redeem('call-1', 'p2', NOW).kind).toBe('gone');
    expect(calls.redeem('call-1', 'p1', NOW).kind).toBe('found');
  });
});
